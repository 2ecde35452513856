import io
import zipfile

bomb = io.BytesIO()
with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
    with archive.open("big", "w") as file:
        for _ in range(200):
            file.write(bytes(1 << 20))
zipfile.ZipFile(bomb).extractall()
