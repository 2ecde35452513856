// What LibreChat does with our lines: its own schema reads them, then the client that it is built on starts the server as they
// say and has a plot drawn. With LIBRECHAT_DOCKER=yes the form for Docker starts a real container, else `docker` is a stand-in.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import yaml from "js-yaml";
import { configSchema } from "librechat-data-provider";

const [server, pictures, url] = process.argv.slice(2);
const ROOT = join(process.env.CLIENTS, "../..");
const INSTALLED = "/opt/mcp-python-sandbox/bin/mcp-python-sandbox";
const DOCUMENTS = ["docs/librechat.md", "docs/clients.md", "docs/zh/librechat.md", "docs/zh/clients.md"];
const PLOT = readFileSync(join(ROOT, "examples/05-plot.py"), "utf8");

// Everything of ours that LibreChat reads, as [where it stands, its text].
function written() {
  const own = readFileSync(join(ROOT, "librechat.yaml"), "utf8");
  const said = execFileSync(server, ["doctor", "--config", "librechat"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return [["librechat.yaml", own], ...inComments(own), ["doctor --config librechat", said], ...DOCUMENTS.flatMap(inDocument)];
}

// The other forms of librechat.yaml stand in comments, after words about them.
function inComments(text) {
  const lines = text.split("\n").map((line) => line.match(/^ {2}#(?: |$)(.*)/)?.[1] ?? null);
  const forms = [];
  let form = null;
  for (const line of lines) {
    if (line === null) form = null;
    else if (line === "python-sandbox:") forms.push((form = ["mcpServers:"]));
    form?.push(`  ${line}`);
  }
  const settings = lines.slice(lines.indexOf("mcpSettings:")).filter((line) => line !== null);
  assert.equal(forms.length, 2);
  const http = `${settings.slice(0, settings.indexOf("")).join("\n")}\n${forms[0].join("\n")}\n`;
  return [["librechat.yaml, form 2", http], ["librechat.yaml, form 3", forms[1].join("\n")]];
}

function inDocument(name) {
  const blocks = [...readFileSync(join(ROOT, name), "utf8").matchAll(/^( *)```yaml\n(.*?)^\1```$/gms)];
  assert.notEqual(blocks.length, 0, `${name} shows no configuration`);
  return blocks.map(([, indent, text], index) => [`${name}, block ${index + 1}`, text.replaceAll(`\n${indent}`, "\n").slice(indent.length)]);
}

// LibreChat drops keys that it does not know without a word, so each of ours must be there afterwards, as it was.
function read([where, text]) {
  const ours = { version: "1.2.1", ...yaml.load(text) };
  const theirs = configSchema.strict().parse(ours);
  const options = theirs.mcpServers["python-sandbox"];
  for (const [key, value] of Object.entries(ours.mcpServers["python-sandbox"])) assert.deepEqual(options[key], value, `${where}: ${key}`);
  for (const [key, value] of Object.entries(ours.mcpSettings ?? {})) assert.deepEqual(theirs.mcpSettings[key], value, `${where}: ${key}`);
  if (options.url) assert.deepEqual(theirs.mcpSettings.allowedAddresses, [new URL(options.url).host], where);
  return options;
}

// The folder of a `docker` that starts the server in place of a container.
function standIn() {
  const folder = join(pictures, "stand-in");
  mkdirSync(folder, { recursive: true });
  const body = '#!/bin/sh\n[ "$1" = run ] || exit 2\nshift\nwhile [ "${1#-}" != "$1" ]; do shift; done\n' + `shift\nexec '${server}' "$@"\n`;
  writeFileSync(join(folder, "docker"), body);
  chmodSync(join(folder, "docker"), 0o755);
  return folder;
}

function transport(options) {
  if (options.url) return new StreamableHTTPClientTransport(new URL(url));
  const env = { ...getDefaultEnvironment(), ...options.env };
  const command = options.command === INSTALLED ? server : options.command;
  if (command === "docker" && process.env.LIBRECHAT_DOCKER === "yes") env.DOCKER_HOST = process.env.DOCKER_HOST ?? "";
  else if (command === "docker") env.PATH = standIn() + delimiter + env.PATH;
  return new StdioClientTransport({ command, args: options.args, env });
}

async function draws(options) {
  const client = new Client({ name: "@librechat/api-client", version: "1.2.3" });
  await client.connect(transport(options));
  try {
    assert.match(client.getInstructions(), /run_python/);
    const { tools } = await client.listTools();
    assert.equal(tools[0].name, "run_python");
    const { content, isError } = await client.callTool({ name: "run_python", arguments: { code: PLOT } }, undefined, { timeout: options.timeout });
    assert.ok(!isError, JSON.stringify(content));
    assert.deepEqual(content.map((part) => part.type), ["text", "image"]);
    assert.equal(Buffer.from(content[1].data, "base64").toString("latin1", 1, 4), "PNG");
  } finally {
    await client.close();
  }
}

for (const form of written()) {
  const options = read(form);
  await draws(options);
  console.log(`ok librechat ${form[0]}: read by its schema, ${options.url ?? [options.command, options.args.at(-1)].join(" … ")} draws a plot`);
}
