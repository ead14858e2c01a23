import type { IncomingMessage } from "node:http";

export type Sent = {
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
};

/**
 * One request; the answer is a stream of text. `fetch`, and `node:http` if it is imported, load a
 * whole client that takes longer than most commands take in all.
 */
export function send(url: string, { body, ...given }: Sent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const isSecure = url.startsWith("https:");
    const { request } = process.getBuiltinModule(isSecure ? "node:https" : "node:http");
    request(url, given)
      .once("response", (answer) => resolve(answer.setEncoding("utf8")))
      .once("error", reject)
      .end(body);
  });
}

export function isOk({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

export async function readJson(answer: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const part of answer) text += part;
  return JSON.parse(text);
}
