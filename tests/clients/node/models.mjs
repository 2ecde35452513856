// Three models that are none, behind one address on loopback. They speak as OpenAI, Anthropic and Google do. A turn's
// first request is answered with a tool call, made of the words that follow "call:" in the user's message, the next one
// with "Done." What they are sent is kept, and `sent` gives it in one form.

import { createServer } from "node:http";

const DIALECTS = {
  openai: {
    path: "/chat/completions",
    events: (call) => {
      const tool_calls = call && [{ index: 0, id: "call_1", type: "function", function: { name: call.name, arguments: JSON.stringify(call.args) } }];
      const chunk = (delta, finish_reason) => ({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] });
      const delta = { role: "assistant", ...(call ? { content: null, tool_calls } : { content: "Done." }) };
      return [["", chunk(delta, null)], ["", chunk({}, call ? "tool_calls" : "stop")], ["", "[DONE]"]];
    },
    // Pictures cannot stand in a tool's message there, so a message of the user's follows with them.
    read: (body, see) => {
      for (const { role, content } of after(body.messages, "assistant")) {
        for (const part of typeof content === "string" ? [{ type: "text", text: content }] : content) {
          if (part.type === "text") see.text(part.text, role);
          else see.image(part.image_url.url.split(",")[1], role);
        }
      }
    },
  },
  anthropic: {
    path: "/v1/messages",
    events: (call) => {
      const usage = { input_tokens: 1, output_tokens: 1 };
      const message = { id: "1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, stop_sequence: null, usage };
      const content_block = call ? { type: "tool_use", id: "toolu_1", name: call.name, input: {} } : { type: "text", text: "" };
      const delta = call ? { type: "input_json_delta", partial_json: JSON.stringify(call.args) } : { type: "text_delta", text: "Done." };
      return [
        { type: "message_start", message },
        { type: "content_block_start", index: 0, content_block },
        { type: "content_block_delta", index: 0, delta },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null }, usage },
        { type: "message_stop" },
      ].map((event) => [event.type, event]);
    },
    read: (body, see) => {
      const walk = (content, role) => {
        if (typeof content === "string") return see.text(content, role);
        for (const part of content) {
          if (part.type === "tool_result") walk(part.content, "tool");
          else if (part.type === "image") see.image(part.source.data, role);
          else see.text(part.text, role);
        }
      };
      for (const { role, content } of after(body.messages, "assistant")) walk(content, role);
    },
  },
  google: {
    path: ":streamGenerateContent",
    events: (call) => {
      const parts = [call ? { functionCall: call } : { text: "Done." }];
      const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
      return [["", { candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }], usageMetadata }]];
    },
    read: (body, see) => {
      for (const { role, parts } of after(body.contents, "model")) {
        for (const part of parts) {
          if (part.functionResponse) see.text(JSON.stringify(part.functionResponse.response), "tool");
          else if (part.inlineData) see.image(part.inlineData.data, role);
          else see.text(part.text, role);
        }
      }
    },
  },
};

function after(messages, role) {
  return messages.slice(messages.findLastIndex((message) => message.role === role) + 1);
}

// The call that a user asks for, { name, args }.
function asked(told) {
  const message = (told.messages ?? told.contents).findLast(({ role }) => role === "user");
  const texts = typeof message.content === "string" ? [message.content] : (message.content ?? message.parts).map((part) => part.text ?? "");
  return JSON.parse(texts.join("").split("call:")[1]);
}

function body(request) {
  return new Promise((resolve, reject) => {
    const pieces = [];
    request.on("data", (piece) => pieces.push(piece)).on("end", () => resolve(JSON.parse(Buffer.concat(pieces)))).on("error", reject);
  });
}

// Gives { url, requests, close() }; `requests` has [dialect, body] of each.
export async function models() {
  const requests = [];
  const server = createServer(async (request, response) => {
    const found = Object.entries(DIALECTS).find(([, { path }]) => request.url.includes(path));
    if (!found) return response.writeHead(404).end();
    const [name, dialect] = found;
    const told = await body(request);
    requests.push([name, told]);
    const isAnswered = (told.messages ?? told.contents).some(({ role }) => role === "assistant" || role === "model");
    const call = isAnswered ? null : asked(told);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const [event, data] of dialect.events(call)) {
      response.write(`${event && `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
    }
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, requests, close };
}

// What the answer of a tool came to in a request: { text, images: [base64], where: the roles of the images }.
export function sent([name, request]) {
  const seen = { text: "", images: [], where: new Set() };
  DIALECTS[name].read(request, {
    text: (text) => (seen.text += `${text}\n`),
    image: (data, role) => seen.where.add(role) && seen.images.push(data),
  });
  return seen;
}
