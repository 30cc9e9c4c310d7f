"""``python -m ninetoothed.tools.nt_opt``."""

from __future__ import annotations

import sys

from ninetoothed.tools.nt_opt import main

if __name__ == "__main__":
    sys.exit(main())
