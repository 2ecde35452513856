"""Native runtime: the libraries that are adapted as soon as a job imports them."""

from typing import Any

from ..native import import_hooks, threads


def install() -> None:
    """Adapt the libraries below when they are imported; at once those that already are."""
    import_hooks.install(
        {
            "PIL.Image": _patch_pil,
            "PIL.ImageFont": _patch_pil_fonts,
            "matplotlib": _patch_matplotlib,
            "tkinter": _patch_tkinter,
        }
    )
    threads.install()


def _patch_matplotlib(module: Any) -> None:
    from ..figures import hooks

    hooks.patch(module)


def _patch_pil(module: Any) -> None:
    from ..display import pil

    pil.patch(module)


def _patch_tkinter(module: Any) -> None:
    """Tcl would look for its files in folders that no job can read."""
    from ..hints import stdlib_gaps

    def refuse(*_args: Any, **_kwargs: Any) -> None:
        raise module.TclError(f"no display name: {stdlib_gaps.NOWHERE['tkinter']}")

    module.Tk.__init__ = refuse


def _patch_pil_fonts(module: Any) -> None:
    from ..display import pil_fonts

    pil_fonts.patch(module)
