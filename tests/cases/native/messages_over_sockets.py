#: runtime native
import asyncio
import socket

a, b = socket.socketpair()
print(a.sendmsg([b"one ", memoryview(b"two"), b""]), b.recv(100))
try:
    socket.send_fds(a, [b"x"], [0])
except PermissionError as error:
    print(error.errno)


async def talk():
    reader, kept = await asyncio.open_connection(sock=b)
    also_kept, writer = await asyncio.open_connection(sock=a)
    writer.writelines([b"x" * (1 << 20), b"y" * (1 << 20)])
    writer.write_eof()
    read, _ = await asyncio.gather(reader.read(), writer.drain())
    print(len(read), read[:1], read[-1:])


asyncio.run(talk())
# | 7 b'one two'
# | 1
# | 2097152 b'x' b'y'
