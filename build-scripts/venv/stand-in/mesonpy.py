"""A stand-in for the build backend `mesonpy` while an sdist is only downloaded.

pip asks a source archive for its metadata, for which the real backend would configure the whole
package. An sdist has that metadata in PKG-INFO already.
"""

import email
import shutil
from pathlib import Path


def prepare_metadata_for_build_wheel(
    metadata_directory: str, config_settings: object = None
) -> str:
    """Write the metadata; pip calls this in the folder of the unpacked archive."""
    metadata = email.message_from_string(Path("PKG-INFO").read_text(encoding="utf-8"))
    name = f"{metadata['Name'].replace('-', '_')}-{metadata['Version']}.dist-info"
    folder = Path(metadata_directory, name)
    folder.mkdir()
    shutil.copy("PKG-INFO", folder / "METADATA")
    return name
