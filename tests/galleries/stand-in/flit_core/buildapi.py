"""A stand-in while an archive is only downloaded: see build-scripts/venv/stand-in/mesonpy.py."""

from mesonpy import prepare_metadata_for_build_wheel

__all__ = ["prepare_metadata_for_build_wheel"]
