// @modelcontextprotocol/client 2.x, with `initialize` and with stateless requests.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { burst, run } from "./suite.mjs";

const [server, pictures, url, narrowUrl, crowdedUrl] = process.argv.slice(2);
const ERAS = { legacy: ["2025-11-25", {}], auto: ["2026-07-28", { versionNegotiation: { mode: "auto" } }] };

function stdio(narrow) {
  return new StdioClientTransport({ command: server, args: ["serve", ...(narrow ? ["--concurrency", "1"] : [])] });
}

function at(address) {
  return new StreamableHTTPClientTransport(new URL(address));
}

function over(makeTransport, clientOptions) {
  return async (narrow) => {
    const client = new Client({ name: "client", version: "1" }, clientOptions);
    await client.connect(makeTransport(narrow));
    const version = client.getNegotiatedProtocolVersion();
    return {
      version,
      tools: async () => (await client.listTools()).tools,
      // The protocol of 2026 has no ping; what shows that the server is there is discovery.
      ping: () => (version < "2026" ? client.ping() : client.discover()),
      call: (args, options) => client.callTool({ name: "run_python", arguments: args }, options),
      close: () => client.close(),
    };
  };
}

for (const [era, [version, options]] of Object.entries(ERAS)) {
  await run(`npm-client-${era}-stdio`, version, pictures, over(stdio, options));
  await run(`npm-client-${era}-http`, version, pictures, over((narrow) => at(narrow ? narrowUrl : url), options));
  await burst(`npm-client-${era}-http`, over(() => at(url), options), over(() => at(crowdedUrl), options));
}
