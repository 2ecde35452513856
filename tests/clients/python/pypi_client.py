"""Drives the server with the official Python client (PyPI `mcp`): both modes, stdio and HTTP.

    pypi_client.py SERVER PICTURES URL NARROW_URL CROWDED_URL

SERVER is the binary, PICTURES the folder for the pictures. At URL a server listens, at NARROW_URL
one that runs a single job at a time, at CROWDED_URL one that also lets few calls wait.
"""

import asyncio
import base64
import contextlib
import json
import pathlib
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp import Client, ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

HERE = pathlib.Path(__file__).parent
EXAMPLES = HERE.parent.parent.parent / "examples"
JOBS = json.loads((HERE.parent / "jobs.json").read_text(encoding="utf-8"))
SLEEPER = {"code": "import time\nprint('sleeping', flush=True)\ntime.sleep(25)"}
PATIENCE = 60
TOOL = "run_python"
# Both kinds of client have the same methods here, with types of their own.
AnyClient = Any
# `StdioServerParameters`, or an address.
Target = Any
Connect = Callable[[Target], AbstractAsyncContextManager[tuple[AnyClient, str]]]


@contextlib.asynccontextmanager
async def legacy(target: Target) -> AsyncIterator[tuple[AnyClient, str]]:
    """`ClientSession`, as most programs use it: `initialize`, then requests."""
    transport = streamable_http_client(target) if isinstance(target, str) else stdio_client(target)
    async with transport as (read, write, *_), ClientSession(read, write) as session:
        result = await session.initialize()
        await session.send_ping()
        yield session, result.protocol_version


@contextlib.asynccontextmanager
async def automatic(target: Target) -> AsyncIterator[tuple[AnyClient, str]]:
    """`Client`, which asks what the server speaks and prefers stateless requests."""
    async with Client(target, mode="auto") as client:
        yield client, client.protocol_version


async def run(
    label: str,
    expected_version: str,
    connect: Connect,
    targets: tuple[Target, Target],
    pictures: pathlib.Path,
) -> None:
    """Do everything with one client, at a server of many places and at one with a single place."""
    wide, narrow = targets
    async with connect(wide) as (client, version):
        assert version == expected_version, version
        tools = await client.list_tools()
        assert [tool.name for tool in tools.tools][:1] == [TOOL]
        for job in JOBS:
            await answers(client, job, label, pictures)
        await parallel(client)
        await continues(client)
    # Here the next call is answered soon only if the job before it has really been stopped.
    async with connect(narrow) as (client, _):
        await cancelled(client)
        await timed_out(client)
    done = f"{len(JOBS)} jobs, parallel calls, a session, cancel, timeout"
    print(f"ok {label}: protocol {expected_version}, {done}", flush=True)


async def answers(
    client: AnyClient, job: dict[str, Any], label: str, pictures: pathlib.Path
) -> None:
    """Run a job of jobs.json, compare the answer, save the pictures."""
    example = job.get("example")
    code = (EXAMPLES / example).read_text(encoding="utf-8") if example else job["code"]
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
        (pictures / f"{label}-{job['name']}-{number}.png").write_bytes(
            base64.b64decode(image.data, validate=True)
        )


async def parallel(client: AnyClient) -> None:
    """Send calls that wait for none before them."""

    def call(n: int) -> Any:
        return client.call_tool(TOOL, {"code": f"import time\ntime.sleep(0.05)\nprint('job', {n})"})

    results = await asyncio.gather(*map(call, range(12)))
    assert [result.content[0].text for result in results] == [f"job {n}" for n in range(12)]


async def continues(client: AnyClient) -> None:
    """Go on with a session. Over HTTP newer clients must repeat its handle in a header."""
    begun = await client.call_tool(TOOL, {"code": "x = 41", "session": "new"})
    handle = begun.meta["mcp-python-sandbox/session"]
    result = await client.call_tool(TOOL, {"code": "print(x + 1)", "session": handle})
    assert result.content[0].text.startswith("42\n"), result


async def burst(label: str, connect: Connect, url: str, crowded_url: str) -> None:
    """Send a team's burst over one connection, beside a session and a job that runs."""
    async with connect(url) as (client, _):
        begun = await client.call_tool(TOOL, {"code": "x = 41", "session": "new"})
        handle = begun.meta["mcp-python-sandbox/session"]
        slow = {"code": "import time\ntime.sleep(3)\nx += 1\nprint('slow', x)", "session": handle}
        running = asyncio.create_task(client.call_tool(TOOL, slow))
        await asyncio.sleep(0.1)
        texts = await texts_of(client, 600, "")
        assert texts == [f"job {n}" for n in range(600)]
        assert (await running).content[0].text.startswith("slow 42\n")
    async with connect(url) as (client, _):
        result = await client.call_tool(TOOL, {"code": "print(x)", "session": handle})
        assert result.content[0].text.startswith("42\n"), result
    async with connect(crowded_url) as (client, _):
        texts = await texts_of(client, 100, "import time; time.sleep(0.05); ")
        done = sum(text.startswith("job ") for text in texts)
        assert 0 < done < 100, f"{done} of 100 calls ran where five may wait"
        assert await texts_of(client, 1, "") == ["job 0"]
    refused = f"{100 - done} of 100 calls refused in words"
    print(f"ok {label}: a burst of 600 calls, {refused}, a session found again", flush=True)


async def texts_of(client: AnyClient, count: int, before: str) -> list[str]:
    """Call at once and give the answers' texts."""
    codes = [f"{before}print('job', {n})" for n in range(count)]
    calls = [
        client.call_tool(TOOL, {"code": code}, read_timeout_seconds=PATIENCE) for code in codes
    ]
    return [result.content[0].text for result in await asyncio.gather(*calls)]


async def cancelled(client: AnyClient) -> None:
    """Cancel a call, which must stop its job."""
    task = asyncio.create_task(client.call_tool(TOOL, SLEEPER))
    await asyncio.sleep(0.7)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
        raise AssertionError("a call that was cancelled came back")
    await is_free(client)


async def timed_out(client: AnyClient) -> None:
    """Give up on a call, which must stop its job."""
    try:
        await client.call_tool(TOOL, SLEEPER, read_timeout_seconds=0.7)
    except Exception as error:
        assert "timed out" in str(error).lower() or isinstance(error, TimeoutError), repr(error)
    else:
        raise AssertionError("a call that was timed out came back")
    await is_free(client)


async def is_free(client: AnyClient) -> None:
    """Check that a job runs at once."""
    started = time.monotonic()
    result = await client.call_tool(TOOL, {"code": "print('next')"}, read_timeout_seconds=PATIENCE)
    assert result.content[0].text == "next"
    assert time.monotonic() - started < 10, "the job before ran on"


async def main() -> None:
    """Run everything, with each client over each transport."""
    server, pictures, *urls = sys.argv[1:]
    wide = StdioServerParameters(command=server, args=["serve"])
    narrow = StdioServerParameters(command=server, args=["serve", "--concurrency", "1"])
    eras = (("legacy", "2025-11-25", legacy), ("auto", "2026-07-28", automatic))
    for era, version, connect in eras:
        for transport, targets in ("stdio", (wide, narrow)), ("http", (urls[0], urls[1])):
            label = f"pypi-{era}-{transport}"
            await run(label, version, connect, targets, pathlib.Path(pictures))
        await burst(f"pypi-{era}-http", connect, urls[0], urls[2])


if __name__ == "__main__":
    asyncio.run(main())
