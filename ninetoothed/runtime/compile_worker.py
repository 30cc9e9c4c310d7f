"""The process behind ``compile_pool``: compiles artifacts into Triton's on-disk cache.

Run as ``python -m ninetoothed.runtime.compile_worker``. It writes ``{"ready": true}`` once Triton
is imported; then, for each line on stdin (an artifact's JSON as one JSON string), a line
``{"reason": null}``, or the reason for which it cannot be compiled. It imports no user code and no
torch, and ends when stdin does.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from ninetoothed.artifact import Artifact
from ninetoothed.errors import NineToothedError
from ninetoothed.runtime import triton_compat


def main() -> None:
    """Serves requests until stdin ends."""
    # Triton prints diagnostics to stdout: the replies go to a copy of it, and stdout joins stderr.
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def reply(message: dict[str, Any]) -> None:
        replies.write(json.dumps(message) + "\n")
        replies.flush()

    triton_compat.warm_up()
    reply({"ready": True})
    for line in sys.stdin:
        reason: str | None = None
        try:
            triton_compat.compile_artifact(Artifact.from_json(json.loads(line)))
        except NineToothedError as error:
            reason = error.message
        reply({"reason": reason})


if __name__ == "__main__":
    main()
