"""The parent of the native jobs: it imports and tries out what its forked children then find ready."""

def warm_parent(modules: list[str]) -> list[str]:
    """Import `modules`; with matplotlib among them also draw one figure, for fonts, text layout and PNG.

    Gives those that cannot be imported, each with the reason.
    """
    from . import import_hooks, paths, traceback_filter

    paths.install()  # first: modules take references to the real functions
    import_hooks.install()
    traceback_filter.install()
    failures = []
    for name in modules:
        try:
            __import__(name)
        except Exception as error:  # a broken package must not take the others with it; a job that imports it sees why
            failures.append(f"{name}: {type(error).__name__}: {error}")
    if any(name.partition(".")[0] == "matplotlib" for name in modules):
        from . import figure_warmup

        figure_warmup.draw_once()
    _import_own_modules()
    return failures


def _import_own_modules() -> None:
    from . import display, errors, identity, rich, source, source_repair  # noqa: F401
