// What a model is sent when LibreChat uses the server. LibreChat's own agents package runs the turn: it hands the tool to
// a model, calls it, and puts the answer into the provider's form. Ours is only what stands between the two in LibreChat
// itself, which no registry has: texts are joined, and images become an artifact of the tool's message.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { calculateMaxToolResultChars, Providers, Run } from "@librechat/agents";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { models, sent } from "./models.mjs";

const [server, crowdedUrl] = process.argv.slice(2);
const PLOT = readFileSync(join(process.env.CLIENTS, "../../examples/05-plot.py"), "utf8");
const FOUR = `
import numpy as np
import matplotlib.pyplot as plt
x = np.linspace(0, 10, 200)
for n in range(1, 5):
    plt.plot(x, np.sin(n * x), label=f"sin {n}x")
    plt.title(f"Wave {n}")
    plt.legend()
    plt.show()
for line in range(400):
    print(f"{line:4} " + "x" * 44)
`;
// A job: its arguments, the images that a model must be sent, words that it must read, and the tokens of a context in which
// there is room for all that; with fewer LibreChat leaves images out, but not the first.
const JOBS = {
  text: [{ code: "print('hello', 1 + 1)\n6 * 7" }, 0, ["hello 2", "42"]],
  "a plot": [{ code: PLOT }, 1, ["largest damped value"]],
  "four plots and 20 kB of text": [{ code: FOUR }, 4, ["   0 xxx", " 399 xxx"], 128_000],
  "an error": [{ code: "values = []\nvalues[3]" }, 0, ["main.py", "IndexError: list index out of range"]],
  "a time-out": [{ code: "print('so far', flush=True)\nwhile True: pass", timeout: 1 }, 0, ["so far", "time limit reached"]],
};
// Tokens of the context: what LibreChat takes a model for that it does not know, and what most have.
const CONTEXTS = [32_000, 128_000];

function providers(url) {
  const key = { apiKey: "none", streaming: true };
  return {
    OpenAI: { provider: Providers.OPENAI, clientOptions: { ...key, model: "gpt-4o", configuration: { baseURL: `${url}/v1` } } },
    Anthropic: { provider: Providers.ANTHROPIC, clientOptions: { ...key, model: "claude-sonnet-4-5", clientOptions: { baseURL: url } } },
    Google: { provider: Providers.GOOGLE, clientOptions: { ...key, model: "gemini-2.5-pro", baseUrl: url } },
  };
}

function offered(client, { name, description, inputSchema }) {
  const { $schema, ...schema } = inputSchema;
  const call = async (args) => {
    const { content } = await client.callTool({ name, arguments: args }, undefined, { timeout: 90_000 });
    const text = content.filter((part) => part.type === "text").map((part) => part.text).join("\n\n");
    const images = content.filter((part) => part.type === "image").map(({ mimeType, data }) => ({ type: "image_url", image_url: { url: `data:${mimeType};base64,${data}` } }));
    return [text, images.length > 0 ? { content: images } : undefined];
  };
  return tool(call, { name: `${name}_mcp_python-sandbox`, description, schema, responseFormat: "content_and_artifact" });
}

// One turn of a chat: the model calls the tool and is sent the answer.
async function turn(agent, args) {
  const call = { name: "run_python_mcp_python-sandbox", args };
  const run = await Run.create({
    runId: crypto.randomUUID(),
    graphConfig: { type: "standard", agents: [{ agentId: "agent", ...agent }] },
    returnContent: true,
    tokenCounter: (message) => Math.ceil(JSON.stringify(message.content).length / 4),
    indexTokenCountMap: {},
  });
  const settings = { runId: crypto.randomUUID(), configurable: { thread_id: "chat", user_id: "user" }, streamMode: "values", version: "v2" };
  await run.processStream({ messages: [new HumanMessage(`call:${JSON.stringify(call)}`)] }, settings);
}

function unexpected(seen, images, words, isWhole) {
  const wrong = words.filter((word) => !seen.text.includes(word)).map((word) => `no "${word}"`);
  const omitted = seen.text.match(/\[omitted[^\]]*\]/g) ?? [];
  wrong.push(...(seen.text.match(/truncated: \d+ chars/g) ?? []), ...(isWhole ? omitted : []));
  const least = isWhole ? images : 1;
  if (seen.images.length < least || seen.images.length + omitted.length !== images) wrong.push(`${seen.images.length} images of ${images}`);
  const pngs = seen.images.filter((image) => Buffer.from(image, "base64").toString("latin1", 1, 4) === "PNG");
  if (pngs.length !== seen.images.length) wrong.push("an image that is no PNG");
  return wrong;
}

async function connected(transport) {
  const client = new Client({ name: "@librechat/api-client", version: "1.2.3" });
  await client.connect(transport);
  const tools = (await client.listTools()).tools.map((described) => offered(client, described));
  return { client, agent: { tools, instructions: client.getInstructions() } };
}

// What each provider's model is sent for each job, and what is wrong with that.
async function turns(agent) {
  const problems = [];
  for (const [provider, settings] of Object.entries(providers(llm.url))) {
    for (const maxContextTokens of CONTEXTS) {
      const told = [];
      for (const [job, [args, images, words, room = 0]] of Object.entries(JOBS)) {
        llm.requests.length = 0;
        await turn({ ...agent, ...settings, maxContextTokens }, args);
        const seen = sent(llm.requests.at(-1));
        for (const wrong of unexpected(seen, images, words, maxContextTokens >= room)) problems.push(`${provider}, ${maxContextTokens} tokens, ${job}: ${wrong}`);
        const bytes = seen.images.reduce((sum, image) => sum + image.length, 0);
        told.push(`${job} ${seen.text.length} + ${bytes}`);
      }
      const most = calculateMaxToolResultChars(maxContextTokens);
      console.log(`ok librechat ${provider}, ${maxContextTokens} tokens (at most ${most} characters): ${told.join(", ")}`);
    }
  }
  assert.deepEqual(problems, []);
}

// Many users at once on the one connection that LibreChat has over HTTP: those beyond the queue read why, and the
// connection is there for the next one.
async function burst(agent) {
  const settings = { ...agent, ...providers(llm.url).OpenAI, maxContextTokens: 128_000 };
  llm.requests.length = 0;
  const users = Array.from({ length: 40 }, (_, n) => turn(settings, { code: `import time\ntime.sleep(0.2)\nprint("job ${n}")` }));
  await Promise.all(users);
  const answered = llm.requests.filter(([, { messages }]) => messages.some(({ role }) => role === "tool"));
  const texts = answered.map((request) => sent(request).text.trim());
  assert.equal(texts.length, users.length);
  const done = texts.filter((text) => /^job \d+$/.test(text)).length;
  assert.ok(done > 0 && done < users.length, `${done} of ${users.length} calls ran where five may wait: ${texts[0]}`);
  for (const text of texts) assert.doesNotMatch(text, /HTTP/);
  llm.requests.length = 0;
  await turn(settings, { code: "print(6 * 7)" });
  assert.equal(sent(llm.requests.at(-1)).text.trim(), "42");
  console.log(`ok librechat, a burst: ${users.length - done} of ${users.length} calls refused in words`);
}

const llm = await models();
const stdio = await connected(new StdioClientTransport({ command: server, args: ["serve"], env: getDefaultEnvironment() }));
await turns(stdio.agent);
await stdio.client.close();
const http = await connected(new StreamableHTTPClientTransport(new URL(crowdedUrl)));
await burst(http.agent);
await http.client.close();
llm.close();
