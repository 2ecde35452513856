"""The parent of the native jobs: it imports and tries out what its forked children then find ready."""

import gc


def warm_parent(modules: list[str]) -> None:
    """Import `modules`; with matplotlib among them also draw one figure, for fonts, text layout and PNG."""
    from . import import_hooks, paths, traceback_filter

    paths.install()  # first: modules take references to the real functions
    import_hooks.install()
    traceback_filter.install()
    for name in modules:
        try:
            __import__(name)
        except Exception:  # a broken package must not take the others with it; a job that imports it sees why
            pass
    if any(name.partition(".")[0] == "matplotlib" for name in modules):
        from . import figure_warmup

        figure_warmup.draw_once()
    _import_own_modules()
    gc.collect()
    gc.freeze()  # children share these pages as long as the collector leaves them alone


def _import_own_modules() -> None:
    from . import display, errors, identity, rich, source, source_repair  # noqa: F401
