import { type IncomingHttpHeaders, request } from "node:http";
import { text } from "node:stream/consumers";

export type Knock = {
  readonly method?: string;
  readonly path: string;
  /** Exactly these: also those that no browser lets a page choose. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type Answered = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Of a problem; empty if it is none. */
  readonly code: string;
};

/** One request as it would come over the wire. */
export async function knock(url: string, given: Knock): Promise<Answered> {
  const { method = "GET", path, headers = {}, body } = given;
  const { hostname, port, host } = new URL(url);
  const asked = request({
    method,
    hostname,
    port,
    path,
    headers: { host, ...headers },
    setHost: false,
  });
  asked.end(body);
  const response = await new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
    asked.once("response", resolve).once("error", reject);
  });
  const read = await text(response);
  const isProblem = response.headers["content-type"] === "application/problem+json";
  const code = isProblem ? (JSON.parse(read) as { code: string }).code : "";
  return { status: response.statusCode ?? 0, headers: response.headers, text: read, code };
}

export function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}
