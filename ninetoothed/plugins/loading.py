"""Modules that a command line names, which register passes as they are imported."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

from ninetoothed.errors import PluginError


def load(name: str) -> None:
    """Import a module by its dotted name, or by the path of its ``.py`` file.

    A file may import modules beside it.

    Raises:
        PluginError: there is none, or its import fails.
    """
    try:
        if name.endswith(".py"):
            _load_file(Path(name))
        else:
            importlib.import_module(name)
    except PluginError:
        raise
    except (Exception, SystemExit) as error:
        # Modules of others may raise anything.
        raise PluginError(
            f"module {name} cannot be imported: {type(error).__name__}: {error}"
        ) from error


def _load_file(path: Path) -> None:
    path = path.resolve()
    name = path.stem
    known = getattr(sys.modules.get(name), "__file__", None)
    if known is not None and Path(known) == path:
        return
    if not path.is_file():
        raise PluginError(f"there is no file {path}")
    if name in sys.modules:
        raise PluginError(f"{path} has the name of another module, {name}; give it another")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.append(str(path.parent))
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
