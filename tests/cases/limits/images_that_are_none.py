from sandbox_bootstrap.host import frames

for _ in range(1000):
    frames._channel.send("IMAGE_DATA", b"x")
frames.send_report({"notes": ["a\x1b[2J\n" + "b" * 2000] * 3000, "unknown": [[]] * 1000})
print("sent")
#: meta omitted {"stdout": 0, "stderr": 0, "images": 1000}
# | sent
