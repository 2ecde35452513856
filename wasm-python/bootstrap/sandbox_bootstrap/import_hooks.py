"""Native runtime: libraries that show pictures are fitted to the channel as soon as they have been imported."""

import sys
from importlib.machinery import PathFinder


def _patch_matplotlib(module) -> None:
    from . import figure_hooks

    figure_hooks.patch(module)


def _patch_sqlite(module) -> None:
    from . import paths

    paths.patch_sqlite(module)


def _patch_lxml(module) -> None:
    from . import paths

    paths.patch_lxml(module)


def _patch_pil(module) -> None:
    from . import pil_hooks

    pil_hooks.patch(module)


_PATCHES = {
    "PIL.Image": _patch_pil,
    "lxml.etree": _patch_lxml,
    "matplotlib": _patch_matplotlib,
    "sqlite3": _patch_sqlite,
}


def after_import(name: str, patch) -> None:
    """Have `patch(module)` run once `name` is imported; at once if it already is."""
    if name in sys.modules:
        patch(sys.modules[name])
    else:
        _PATCHES[name] = patch


def install() -> None:
    """Watch for the imports from now on; idempotent."""
    if _HookFinder in sys.meta_path:
        return
    sys.meta_path.insert(0, _HookFinder)
    for name in [name for name in _PATCHES if name in sys.modules]:
        _PATCHES.pop(name)(sys.modules[name])


class _HookFinder:
    """Finds the modules to patch as the path finder does, and patches them after their code has run."""

    @staticmethod
    def find_spec(name: str, path=None, target=None):
        """Only the names above are of interest."""
        patch = _PATCHES.get(name)
        if patch is None:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = _and_then(spec.loader.exec_module, patch)
        return spec


def _and_then(exec_module, patch):
    def exec_and_patch(module) -> None:
        exec_module(module)
        patch(module)

    return exec_and_patch
