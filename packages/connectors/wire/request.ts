import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { connectTo, reasonOf } from "./connect.ts";

export type HttpRequest = {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** For connecting, and again for the answer. */
  readonly timeoutMs: number;
  readonly allowPrivateAddresses: boolean;
  /** Fires when nobody waits any more: the connection is ended. */
  readonly signal: AbortSignal;
  /** The last thing before bytes leave; what it throws goes to the caller. */
  readonly go: () => void;
};

export type HttpAnswer = {
  readonly status: number;
  readonly retryAfter: string | null;
  /** When it was given, on the clock of whoever gave it; null = it does not say. */
  readonly date: string | null;
  readonly contentType: string;
  readonly text: string;
};

/** The request has left, or a part of it; the answer did not come whole. */
class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

const answerBytesMax = 1_048_576;

/**
 * One request on a connection of its own: nothing is sent twice by a pool, no redirect is
 * followed, and what failed before the first byte is known to have failed before it.
 */
export async function request(given: HttpRequest): Promise<HttpAnswer> {
  const socket = await connectTo(placeOf(given));
  try {
    given.go();
    return await exchange(socket, given);
  } finally {
    socket.destroy();
  }
}

function placeOf({ url, timeoutMs, allowPrivateAddresses, signal }: HttpRequest) {
  const isTls = url.protocol === "https:";
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port) || (isTls ? 443 : 80),
    ...{ isTls, timeoutMs, allowPrivateAddresses, signal },
  };
}

async function exchange(socket: Socket, given: HttpRequest): Promise<HttpAnswer> {
  const { url, method, headers, body, timeoutMs } = given;
  const late = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([given.signal, late]);
  const sent = httpRequest({
    createConnection: () => socket,
    method,
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, ...headers },
    signal,
  });
  try {
    const answered = once(sent, "response", { signal }) as Promise<[IncomingMessage]>;
    sent.end(body ?? undefined);
    const [answer] = await answered;
    return { ...headOf(answer), text: await textOf(answer) };
  } catch (error) {
    const isLeft = given.signal.aborted && !late.aborted;
    const patience = isLeft ? "nobody waits any more" : `no answer within ${timeoutMs} ms`;
    const reason = signal.aborted ? patience : reasonOf(error);
    // Without the path: that of a webhook may be a secret.
    throw new NoAnswer(`${method} ${url.host}: ${reason}`, { cause: error });
  }
}

function headOf(answer: IncomingMessage) {
  return {
    status: answer.statusCode ?? 0,
    retryAfter: answer.headers["retry-after"] ?? null,
    date: answer.headers.date ?? null,
    contentType: answer.headers["content-type"] ?? "",
  };
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > answerBytesMax) throw new Error(`the answer is over ${answerBytesMax} bytes`);
    chunks.push(chunk);
  }
  if (!answer.complete) throw new Error("the answer was cut off");
  return Buffer.concat(chunks).toString("utf8");
}
