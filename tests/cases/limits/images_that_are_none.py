from sandbox_bootstrap.host import frames

for _ in range(1000):
    frames._channel.send("IMAGE_DATA", b"x")
frames.send_report({"notes": ["a\x1b[2J\nbbbbbbbbbb"] * 3000, "unknown": [[]] * 1000})
print("sent")
#: meta omitted {"images":1000,"stderr":0,"stdout":0}
# | sent
# | [1000 images were left out: broken data]
# | [note: a\x1b[2J\nbbbbbbbbbb (1000 times)]
