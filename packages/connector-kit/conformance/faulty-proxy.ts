import { once } from "node:events";
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/** What becomes of one request on its way. */
export type Treatment =
  | "pass"
  | "drop_request"
  | "drop_answer"
  | "cut_answer"
  | "error_answer"
  /** The service hears nothing, and who asked is sent to another place. */
  | "redirect"
  /** The service hears nothing, and what is answered in its place is an error in a 200. */
  | "sick_answer"
  | "duplicate"
  /** It reaches the service when its sender has long given up, and `release` is called. */
  | "hold"
  /** The service hears nothing; what it answered the first request is given again. */
  | "replay";

export type SeenRequest = {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

const closes = { "content-length": "0", connection: "close" };

/** As a gateway says it that knows no other status. */
const sickAnswer: Answer = {
  status: 200,
  headers: { "content-type": "application/json" },
  body: Buffer.from('{"error":"backend down"}'),
};

type Held = { readonly goOn: () => void; readonly done: Promise<void> };

/** Stands between connector and service, on real connections: counts, loses, delays, repeats. */
export class FaultyProxy {
  readonly requests: SeenRequest[] = [];
  /** Called when one has come whole. */
  onRequest = (): void => {};
  readonly #servicePort: () => number;
  readonly #plan: Treatment[] = [];
  readonly #held: Held[] = [];
  #firstAnswer: Answer | null = null;
  #sickCount = 0;
  #server: Server | null = null;
  #port = 0;

  private constructor(servicePort: () => number) {
    this.#servicePort = servicePort;
  }

  static async open(servicePort: () => number): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(servicePort);
    await proxy.listen();
    return proxy;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Whether the service has answered the first request. */
  get hasAnswer(): boolean {
    return this.#firstAnswer !== null;
  }

  /** How many requests were answered by nothing but an error in a 200. */
  get sickCount(): number {
    return this.#sickCount;
  }

  /** For the next requests, one each, whatever was planned before; those after them pass. */
  plan(treatments: readonly Treatment[]): void {
    this.#plan.splice(0, this.#plan.length, ...treatments);
  }

  /** What was held reaches the service now; returns when it has answered. */
  async release(): Promise<void> {
    for (const { goOn, done } of this.#held.splice(0)) {
      goOn();
      await done;
    }
  }

  async listen(): Promise<void> {
    const server = createServer((request, response) => void this.#treat(request, response));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.#port, "127.0.0.1", resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Nobody listens from here on. */
  async close(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  async #treat(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = await readRequest(request);
    this.requests.push(seen);
    this.onRequest();
    const treatment = this.#plan.shift() ?? "pass";
    const drop = () => void request.socket.destroy();
    try {
      await this.#perform(treatment, { seen, response, drop });
    } catch {
      // The service is away: whoever asked sees a connection that ends.
      drop();
    }
  }

  async #perform(
    treatment: Treatment,
    { seen, response, drop }: { seen: SeenRequest; response: ServerResponse; drop: () => void },
  ): Promise<void> {
    switch (treatment) {
      case "pass":
        return respond(response, await this.#forward(seen));
      case "drop_request":
        return drop();
      case "drop_answer":
        await this.#forward(seen);
        return drop();
      case "cut_answer":
        return cut(response, await this.#forward(seen));
      case "error_answer":
        await this.#forward(seen);
        return void response.writeHead(502).end("something broke behind this");
      case "redirect":
        return void response.writeHead(302, { location: "/elsewhere", ...closes }).end();
      case "sick_answer":
        this.#sickCount += 1;
        return respond(response, sickAnswer);
      case "duplicate": {
        const first = await this.#forward(seen);
        await this.#forward(seen);
        return respond(response, first);
      }
      case "hold":
        return this.#hold(seen);
      case "replay":
        return this.#firstAnswer === null ? drop() : respond(response, this.#firstAnswer);
    }
  }

  #hold(seen: SeenRequest): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = promise.then(async () => void (await this.#forward(seen)));
    this.#held.push({ goOn: resolve, done });
  }

  async #forward(seen: SeenRequest): Promise<Answer> {
    const { line, headers, body } = seen;
    const [method = "", path = ""] = line.split(" ");
    const sent = httpRequest({
      host: "127.0.0.1",
      port: this.#servicePort(),
      method,
      path,
      headers: { ...headers, connection: "close" },
      agent: false,
    });
    sent.end(body);
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    const read = {
      status: answer.statusCode ?? 0,
      headers: answer.headers,
      body: await bytesOf(answer),
    };
    if (seen === this.requests[0]) this.#firstAnswer ??= read;
    return read;
  }
}

async function readRequest(request: IncomingMessage): Promise<SeenRequest> {
  const body = (await bytesOf(request)).toString("utf8");
  return { line: `${request.method} ${request.url}`, headers: request.headers, body };
}

async function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function headersOf({ headers, body }: Answer): Readonly<Record<string, string>> {
  const type = headers["content-type"];
  const typed = type === undefined ? {} : { "content-type": type };
  return { ...typed, "content-length": String(body.length), connection: "close" };
}

function respond(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, headersOf(answer)).end(answer.body);
}

/** Without a body its head is cut. */
function cut({ socket }: ServerResponse, answer: Answer): void {
  const lines = Object.entries(headersOf(answer)).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${answer.status} Done\r\n${lines.join("")}\r\n`;
  const half = answer.body.subarray(0, Math.floor(answer.body.length / 2));
  const part = half.length === 0 ? head.slice(0, -4) : head + half.toString("latin1");
  socket?.write(part, "latin1", () => void socket.destroy());
}
