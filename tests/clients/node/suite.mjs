// What every client of npm is asked to do with the server. A client is given as `connect`, which reaches a server, with
// one place for jobs if it is to be narrow, and gives { version, tools(), ping(), call(args, { signal, timeout }), close() }.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const HERE = process.env.CLIENTS;
const JOBS = JSON.parse(readFileSync(join(HERE, "jobs.json"), "utf8"));
const SLEEPER = { code: "import time\nprint('sleeping', flush=True)\ntime.sleep(25)" };
const PATIENCE = 60_000;

export async function run(label, version, pictures, connect) {
  const client = await connect(false);
  try {
    await introduces(client, version);
    for (const job of JOBS) await answers(client, job, label, pictures);
    await parallel(client);
    await continues(client);
  } finally {
    await client.close();
  }
  // One place for jobs: the next call is answered soon only if the one before has really been stopped.
  const narrow = await connect(true);
  try {
    await stops(narrow, "cancelled", (call) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort("the user has changed their mind"), 700);
      return call({ signal: controller.signal, timeout: PATIENCE });
    });
    await stops(narrow, "timed out", (call) => call({ timeout: 700 }));
  } finally {
    await narrow.close();
  }
  console.log(`ok ${label}: protocol ${version}, ${JOBS.length} jobs, parallel calls, a session, cancel, timeout`);
}

async function introduces(client, version) {
  assert.equal(client.version, version);
  const tools = await client.tools();
  assert.equal(tools[0].name, "run_python");
  await client.ping();
}

async function answers(client, job, label, pictures) {
  const result = await client.call(argumentsOf(job), { timeout: PATIENCE });
  const texts = result.content.filter((part) => part.type === "text").map((part) => part.text);
  const images = result.content.filter((part) => part.type === "image");
  assert.equal(texts.length, 1, job.name);
  for (const words of job.text) assert.ok(texts[0].includes(words), `${job.name}: ${JSON.stringify(texts[0])}`);
  assert.equal(Boolean(result.isError), job.isError, job.name);
  assert.equal(images.length, job.images, job.name);
  images.forEach((image, index) => {
    assert.equal(image.mimeType, "image/png");
    writeFileSync(join(pictures, `${label}-${job.name}-${index + 1}.png`), Buffer.from(image.data, "base64"));
  });
}

function argumentsOf({ code, example, timeout }) {
  const source = example ? readFileSync(join(HERE, "../../examples", example), "utf8") : code;
  return timeout === undefined ? { code: source } : { code: source, timeout };
}

async function parallel(client) {
  const numbers = Array.from({ length: 12 }, (_, index) => index);
  const results = await Promise.all(
    numbers.map((n) => client.call({ code: `import time\ntime.sleep(0.05)\nprint('job', ${n})` }, { timeout: PATIENCE })),
  );
  assert.deepEqual(results.map((result) => result.content[0].text), numbers.map((n) => `job ${n}`));
}

// A session. Over HTTP the server has a name, so newer clients must repeat the handle in a header.
async function continues(client) {
  const begun = await client.call({ code: "x = 41", session: "new" }, { timeout: PATIENCE });
  const session = begun._meta["mcp-python-sandbox/session"];
  const result = await client.call({ code: "print(x + 1)", session }, { timeout: PATIENCE });
  assert.ok(result.content[0].text.startsWith("42\n"), result.content[0].text);
}

async function stops(client, how, begin) {
  await assert.rejects(begin((options) => client.call(SLEEPER, options)), undefined, `a call that was ${how} came back`);
  const started = performance.now();
  const next = await client.call({ code: "print('next')" }, { timeout: PATIENCE });
  assert.equal(next.content[0].text, "next");
  assert.ok(performance.now() - started < 10_000, `the job that was ${how} ran on`);
}

// A team's burst over one connection, beside a user with a session and a job that runs: all are answered. Beyond what the
// server lets wait, a call is answered by words and the connection stays. A new connection finds the session again.
export async function burst(label, connect, connectCrowded) {
  const client = await connect();
  const crowded = await connectCrowded();
  try {
    const begun = await client.call({ code: "x = 41", session: "new" }, { timeout: PATIENCE });
    const session = begun._meta["mcp-python-sandbox/session"];
    const running = client.call({ code: "import time\ntime.sleep(3)\nx += 1\nprint('slow', x)", session }, { timeout: PATIENCE });
    const texts = await textsOf(client, 600, "");
    assert.deepEqual(texts, texts.map((_, n) => `job ${n}`));
    assert.ok((await running).content[0].text.startsWith("slow 42\n"));
    await goesOn(client, session, 42);
    const answers = await textsOf(crowded, 100, "import time; time.sleep(0.05); ");
    const done = answers.filter((text) => text.startsWith("job ")).length;
    assert.ok(done > 0 && done < 100, `${done} of 100 calls ran where five may wait`);
    await goesOn(crowded, (await crowded.call({ code: "x = 42", session: "new" }, { timeout: PATIENCE }))._meta["mcp-python-sandbox/session"], 42);
    await client.close();
    const again = await connect();
    await goesOn(again, session, 42);
    await again.close();
    console.log(`ok ${label}: a burst of 600 calls, ${100 - done} of 100 calls refused in words, a session found again`);
  } finally {
    await client.close();
    await crowded.close();
  }
}

async function textsOf(client, count, before) {
  const calls = Array.from({ length: count }, (_, n) => client.call({ code: `${before}print('job', ${n})` }, { timeout: PATIENCE }));
  return (await Promise.all(calls)).map((result) => result.content[0].text);
}

async function goesOn(client, session, x) {
  const { content } = await client.call({ code: "print(x)", session }, { timeout: PATIENCE });
  assert.ok(content[0].text.startsWith(`${x}\n`), content[0].text);
}
