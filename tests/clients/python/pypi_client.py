"""What the official Python client (PyPI `mcp`) is asked to do with the server, in both of its modes, over stdio and HTTP.

    pypi_client.py SERVER PICTURES URL NARROW_URL

SERVER is the binary, PICTURES the folder for what comes back; at URL a server listens, at NARROW_URL one with one place
for jobs.
"""

import asyncio
import base64
import contextlib
import json
import pathlib
import sys
import time

from mcp import Client, ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

HERE = pathlib.Path(__file__).parent
EXAMPLES = HERE.parent.parent.parent / "examples"
JOBS = json.loads((HERE.parent / "jobs.json").read_text(encoding="utf-8"))
SLEEPER = {"code": "import time\nprint('sleeping', flush=True)\ntime.sleep(25)"}
PATIENCE = 60
TOOL = "run_python"


@contextlib.asynccontextmanager
async def legacy(target):
    """`ClientSession`, as most programs use it: `initialize`, then requests."""
    transport = streamable_http_client(target) if isinstance(target, str) else stdio_client(target)
    async with transport as (read, write, *_), ClientSession(read, write) as session:
        result = await session.initialize()
        await session.send_ping()
        yield session, result.protocol_version


@contextlib.asynccontextmanager
async def automatic(target):
    """`Client`, which asks what the server speaks and prefers stateless requests."""
    async with Client(target, mode="auto") as client:
        yield client, client.protocol_version


async def run(label, expected_version, connect, wide, narrow, pictures):
    async with connect(wide) as (client, version):
        assert version == expected_version, version
        tools = await client.list_tools()
        assert [tool.name for tool in tools.tools][:1] == [TOOL]
        for job in JOBS:
            await answers(client, job, label, pictures)
        await parallel(client)
        await continues(client)
    # One place for jobs: the next call is answered soon only if the one before has really been stopped.
    async with connect(narrow) as (client, _):
        await cancelled(client)
        await timed_out(client)
    print(f"ok {label}: protocol {expected_version}, {len(JOBS)} jobs, parallel calls, a session, cancel, timeout", flush=True)


async def answers(client, job, label, pictures):
    code = (EXAMPLES / job["example"]).read_text(encoding="utf-8") if "example" in job else job["code"]
    arguments = {"code": code} | ({"timeout": job["timeout"]} if "timeout" in job else {})
    result = await client.call_tool(TOOL, arguments, read_timeout_seconds=PATIENCE)
    texts = [part.text for part in result.content if part.type == "text"]
    images = [part for part in result.content if part.type == "image"]
    assert len(texts) == 1, job["name"]
    for words in job["text"]:
        assert words in texts[0], f"{job['name']}: {texts[0]!r}"
    assert bool(result.is_error) == job["isError"], job["name"]
    assert len(images) == job["images"], job["name"]
    for number, image in enumerate(images, 1):
        assert image.mime_type == "image/png"
        (pictures / f"{label}-{job['name']}-{number}.png").write_bytes(base64.b64decode(image.data, validate=True))


async def parallel(client):
    def call(n):
        return client.call_tool(TOOL, {"code": f"import time\ntime.sleep(0.05)\nprint('job', {n})"})

    results = await asyncio.gather(*map(call, range(12)))
    assert [result.content[0].text for result in results] == [f"job {n}" for n in range(12)]


async def continues(client):
    """A session. Over HTTP the server has a name, so newer clients must repeat the handle in a header."""
    begun = await client.call_tool(TOOL, {"code": "x = 41", "session": "new"})
    handle = begun.meta["mcp-python-sandbox/session"]
    result = await client.call_tool(TOOL, {"code": "print(x + 1)", "session": handle})
    assert result.content[0].text.startswith("42\n"), result


async def cancelled(client):
    task = asyncio.create_task(client.call_tool(TOOL, SLEEPER))
    await asyncio.sleep(0.7)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
        raise AssertionError("a call that was cancelled came back")
    await is_free(client)


async def timed_out(client):
    try:
        await client.call_tool(TOOL, SLEEPER, read_timeout_seconds=0.7)
    except Exception as error:
        assert "timed out" in str(error).lower() or isinstance(error, TimeoutError), repr(error)
    else:
        raise AssertionError("a call that was timed out came back")
    await is_free(client)


async def is_free(client):
    started = time.monotonic()
    result = await client.call_tool(TOOL, {"code": "print('next')"}, read_timeout_seconds=PATIENCE)
    assert result.content[0].text == "next"
    assert time.monotonic() - started < 10, "the job before ran on"


async def main():
    server, pictures, url, narrow_url = sys.argv[1], pathlib.Path(sys.argv[2]), *sys.argv[3:]
    wide = StdioServerParameters(command=server, args=["serve"])
    narrow = StdioServerParameters(command=server, args=["serve", "--concurrency", "1"])
    for era, version, connect in (("legacy", "2025-11-25", legacy), ("auto", "2026-07-28", automatic)):
        await run(f"pypi-{era}-stdio", version, connect, wide, narrow, pictures)
        await run(f"pypi-{era}-http", version, connect, url, narrow_url, pictures)


if __name__ == "__main__":
    asyncio.run(main())
