// @modelcontextprotocol/sdk 1.x: initialize, then requests. LibreChat is built on it.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { burst, run } from "./suite.mjs";

const [server, pictures, url, narrowUrl, crowdedUrl] = process.argv.slice(2);

function stdio(narrow) {
  return new StdioClientTransport({ command: server, args: ["serve", ...(narrow ? ["--concurrency", "1"] : [])] });
}

function at(address) {
  return new StreamableHTTPClientTransport(new URL(address));
}

function over(makeTransport) {
  return async (narrow) => {
    const client = new Client({ name: "sdk", version: "1" });
    const transport = makeTransport(narrow);
    let version = "";
    const real = transport.setProtocolVersion?.bind(transport);
    transport.setProtocolVersion = (negotiated) => {
      version = negotiated;
      real?.(negotiated);
    };
    await client.connect(transport);
    return {
      version,
      tools: async () => (await client.listTools()).tools,
      ping: () => client.ping(),
      call: (args, options) => client.callTool({ name: "run_python", arguments: args }, undefined, options),
      close: () => client.close(),
    };
  };
}

await run("npm-sdk-stdio", "2025-11-25", pictures, over(stdio));
await run("npm-sdk-http", "2025-11-25", pictures, over((narrow) => at(narrow ? narrowUrl : url)));
await burst("npm-sdk-http", over(() => at(url)), over(() => at(crowdedUrl)));
