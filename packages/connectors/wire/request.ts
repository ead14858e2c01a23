import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { connectTo, reasonOf } from "./connect.ts";
import { Patience, type Waiting } from "./patience.ts";

/** Its time is for connecting, and again for the answer. */
export type HttpRequest = Waiting & {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly allowPrivateAddresses: boolean;
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
  const sent = httpRequest({
    createConnection: () => socket,
    method,
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, ...headers },
  });
  const head = Promise.withResolvers<IncomingMessage>();
  sent.once("response", head.resolve);
  // Once its head has come, the answer tells what goes wrong, and nobody listens to the request.
  sent.on("error", head.reject);
  // Some are closed without a word: an answer that goes over to another protocol is none.
  sent.once("close", () => head.reject(new Error("the connection was closed without an answer")));
  const patience = new Patience(given, (reason) => {
    sent.destroy(reason);
    head.reject(reason);
  });
  try {
    sent.end(body ?? undefined);
    const answer = await head.promise;
    return { ...headOf(answer), text: await textOf(answer) };
  } catch (error) {
    const reason = whyNoAnswer(error, patience, timeoutMs);
    // Without the path: that of a webhook may be a secret.
    throw new NoAnswer(`${method} ${url.host}: ${reason}`, { cause: error });
  } finally {
    patience.take();
  }
}

function whyNoAnswer(error: unknown, { over }: Patience, timeoutMs: number): string {
  if (over === "late") return `no answer within ${timeoutMs} ms`;
  return over === "left" ? "nobody waits any more" : reasonOf(error);
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
