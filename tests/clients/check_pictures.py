"""Checks the pictures that the clients received: whole, of the drawn size, and not blank."""

import pathlib
import sys

from PIL import Image

# The least and the most: the empty margins of a figure are cut off, and depend on its fonts.
SIZES = {"plot": ((560, 420), (640, 480)), "pictures": ((64, 48), (64, 48))}


def main(folder: pathlib.Path, clients: list[str]) -> None:
    """Check the pictures of all clients; exits at the first that is wrong."""
    pictures = ("plot-1", "pictures-1", "pictures-2")
    expected = {f"{client}-{picture}.png" for client in clients for picture in pictures}
    found = {path.name for path in folder.glob("*.png")}
    if found != expected:
        missing, extra = sorted(expected - found), sorted(found - expected)
        sys.exit(f"pictures missing: {missing}; pictures too many: {extra}")
    for name in sorted(found):
        with Image.open(folder / name) as picture:
            picture.load()
            colours = picture.convert("RGB").getcolors(picture.width * picture.height)
        least, most = SIZES[name.rsplit("-", 2)[1]]
        fits = least[0] <= picture.width <= most[0] and least[1] <= picture.height <= most[1]
        if not fits or picture.format != "PNG" or len(colours) < 2:
            sys.exit(f"{name}: {picture.format} of {picture.size} with {len(colours)} colours")
    print(f"ok {len(found)} pictures are whole and not blank; they are in {folder}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2:])
