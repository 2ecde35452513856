"""What the parent of the native jobs imports and tries out, for its children to find it ready."""

from ..host import traceback_filter
from ..job import library_patches
from ..native import paths


def fork_server(modules: list[str]) -> list[str]:
    """Import `modules`; with matplotlib among them also draw one figure.

    Returns a line with the reason for each that cannot be imported.
    """
    paths.install()  # first: modules take references to the real functions
    library_patches.install()
    traceback_filter.install()
    failures = []
    for name in modules:
        try:
            __import__(name)
        except BaseException as error:  # one that exits is no reason to do without the others
            failures.append(f"{name}: {type(error).__name__}: {error}")
    if any(name.partition(".")[0] == "matplotlib" for name in modules):
        from ..figures import warmup

        warmup.draw_once()
    _import_own_modules()
    return failures


def _import_own_modules() -> None:
    """What many jobs need and nothing above has imported."""
    from ..job import source_repair  # noqa: F401
    from ..native import file_metadata, network, passwd  # noqa: F401
