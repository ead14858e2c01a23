import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestClock, TestedService } from "./subject.ts";

export type ShopOptions = {
  readonly clock: TestClock;
  /** The header by which it tells repeats; null = it takes every request for a new one. */
  readonly keyHeader: string | null;
};

type Order = {
  readonly number: number;
  readonly path: string;
  readonly ref: string | null;
  readonly madeAtMs: number;
};

type Answer = { readonly status: number; readonly body: unknown };

/** Every POST is a change, `GET /orders?ref=…` finds those made at /orders. */
export class StandInShop implements TestedService {
  readonly #options: ShopOptions;
  readonly #orders: Order[] = [];
  readonly #answers = new Map<string, Answer>();
  #server: Server | null = null;
  #port = 0;
  #readsDelayMs = 0;

  private constructor(options: ShopOptions) {
    this.#options = options;
  }

  static async open(options: ShopOptions): Promise<StandInShop> {
    const shop = new StandInShop(options);
    await shop.#listen();
    return shop;
  }

  get port(): number {
    return this.#port;
  }

  changeCount(): number {
    return this.#orders.length;
  }

  delayReads(byMs: number): void {
    this.#readsDelayMs = byMs;
  }

  async restart(): Promise<void> {
    await this.close();
    await this.#listen();
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  async #listen(): Promise<void> {
    const server = createServer((request, response) => void this.#serve(request, response));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.#port, "127.0.0.1", resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const url = new URL(request.url ?? "/", "http://shop");
    const { status, body } =
      request.method === "POST"
        ? this.#take(url, request, Buffer.concat(chunks).toString("utf8"))
        : this.#show(url);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }

  #take({ pathname: path }: URL, { headers }: IncomingMessage, text: string): Answer {
    const { keyHeader, clock } = this.#options;
    const key = keyHeader === null ? undefined : headers[keyHeader.toLowerCase()]?.toString();
    const before = key === undefined ? undefined : this.#answers.get(key);
    if (before !== undefined) return before;
    const { ref = null } = JSON.parse(text) as { readonly ref?: string };
    const number = this.#orders.length + 1;
    this.#orders.push({ number, path, ref, madeAtMs: clock.nowMs() });
    const answer = { status: 201, body: { number, ref } };
    if (key !== undefined) this.#answers.set(key, answer);
    return answer;
  }

  #show({ pathname, searchParams }: URL): Answer {
    const shownUntilMs = this.#options.clock.nowMs() - this.#readsDelayMs;
    const orders = this.#orders
      .filter(({ path, madeAtMs }) => path === pathname && madeAtMs <= shownUntilMs)
      .filter(({ ref }) => ref === searchParams.get("ref"))
      .map(({ number, ref }) => ({ number, ref }));
    return { status: 200, body: { orders } };
  }
}
