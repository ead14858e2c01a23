import { getEventListeners } from "node:events";
import { createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type HttpRequest, request } from "./request.ts";

const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5\r\n\r\n";

/** Says this to whoever has sent a whole request, and then nothing more. */
async function serve(text: string) {
  const heard = Promise.withResolvers<Socket>();
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(text);
      heard.resolve(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.close();
    (await heard.promise).destroy();
  });
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("no port");
  return { url: new URL(`http://127.0.0.1:${bound.port}/orders`), heard: heard.promise };
}

const forEver = 3_600_000;

function sent(url: URL, more: Partial<HttpRequest>): HttpRequest {
  const { signal } = new AbortController();
  const common = { method: "POST", headers: {}, body: "{}", allowPrivateAddresses: true };
  return { url, ...common, timeoutMs: forEver, signal, go: () => {}, ...more };
}

async function endOf(answer: Promise<unknown>): Promise<string> {
  return answer.then(JSON.stringify, (error: unknown) => String(error));
}

test.each([
  ["before its head", ""],
  ["in the midst of its body", `${head}{"a`],
])("an answer that stays away %s is given up after its time", async (_, text) => {
  const { url } = await serve(text);
  const end = await endOf(request(sent(url, { timeoutMs: 100 })));
  expect(end).toBe(`NoAnswer: POST ${url.host}: no answer within 100 ms`);
});

test.each([
  ["before the head of an answer", ""],
  ["in the midst of its body", `${head}{"a`],
])("who waits no more %s ends the connection", async (_, text) => {
  const { url, heard } = await serve(text);
  const waiting = new AbortController();
  const end = endOf(request(sent(url, { signal: waiting.signal })));
  const closed = (await heard).once("close", () => {});
  const gone = new Promise((resolve) => closed.once("close", resolve));
  waiting.abort();
  expect(await end).toBe(`NoAnswer: POST ${url.host}: nobody waits any more`);
  await gone;
});

test("an answer that goes over to another protocol is none, and is not waited for", async () => {
  const over = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: foo\r\nConnection: Upgrade\r\n\r\n";
  const { url, heard } = await serve(over);
  const end = endOf(request(sent(url, {})));
  const gone = new Promise((resolve) => heard.then((socket) => socket.once("close", resolve)));
  expect(await end).toContain("NoAnswer");
  expect(await end).toContain("closed without an answer");
  await gone;
});

test("nobody who waits no more is connected", async () => {
  const { url, heard } = await serve(head);
  const end = await endOf(request(sent(url, { signal: AbortSignal.abort() })));
  expect(end).toContain("cannot be reached: nobody waits any more");
  // The server is let go of by somebody else.
  await endOf(request(sent(url, { timeoutMs: 100 })));
  await heard;
});

test("a host that lives long is left nothing of a call that was answered", async () => {
  const { url } = await serve(`${head}"abc"`);
  const { signal } = new AbortController();
  expect(await request(sent(url, { signal }))).toMatchObject({ status: 200, text: '"abc"' });
  expect(getEventListeners(signal, "abort")).toEqual([]);
});
