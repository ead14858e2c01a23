import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export type Seen = {
  readonly line: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
};

/** Answers each request as the test says, and keeps what came. */
export async function serveAnswers(
  answer: (seen: Seen) => { readonly status: number; readonly body?: unknown },
): Promise<{ readonly url: string; readonly seen: readonly Seen[] }> {
  const seen: Seen[] = [];
  const url = await serve(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const given = { line: `${request.method} ${request.url}`, headers: request.headers, body };
    seen.push(given);
    const { status, body: said } = answer(given);
    const json = { "content-type": "application/json" };
    response.writeHead(status, json).end(said === undefined ? "" : JSON.stringify(said));
  });
  return { url, seen };
}
