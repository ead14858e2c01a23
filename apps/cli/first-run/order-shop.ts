import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { OrderBook, Work } from "./order-book.ts";

/** How an answer gets lost; the work is done before. */
const losses = ["dropped", "too late", "error 500"] as const;
type Loss = (typeof losses)[number];

const ordersPerAnswer = 20;
/** Longer than the accounts wait for an answer. */
const lateMs = 1_500;

type ShopOptions = {
  readonly book: OrderBook;
  /** Of its answers to changes, from 0 to 1. */
  readonly lossShare: number;
  readonly onLost?: (what: string, loss: Loss) => void;
};

/**
 * A shop with books and parcels. It books by key, so that the same key is the same booking; parcels
 * it sends as often as it is asked, and shows which it sent. It does its work and loses answers.
 */
export class OrderShop {
  readonly #server: Server;
  readonly #options: ShopOptions;
  lostCount = 0;

  private constructor(options: ShopOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  /** Port 0 = any that is free. */
  static async start(port: number, options: ShopOptions): Promise<OrderShop> {
    const shop = new OrderShop(options);
    await new Promise<void>((resolve, reject) => {
      shop.#server.once("error", reject).listen(port, "127.0.0.1", resolve);
    });
    return shop;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
    const { book } = this.#options;
    switch (`${request.method} ${pathname}`) {
      case "GET /orders":
        return send(response, book.ordersAfter(Number(searchParams.get("after")), ordersPerAnswer));
      case "GET /parcels": {
        const ref = searchParams.get("ref") ?? "";
        const found = book.found("parcel", ref);
        return send(
          response,
          found.map(({ number }) => ({ ref, parcel: number })),
        );
      }
      case "POST /bookings": {
        const key = String(request.headers["idempotency-key"]);
        return this.#change(request, response, "booking", key);
      }
      case "POST /parcels":
        return this.#change(request, response, "parcel", null);
      default:
        return void response.writeHead(404).end();
    }
  }

  /** A null key is in the body, and does not keep the work from being done again. */
  async #change(
    request: IncomingMessage,
    response: ServerResponse,
    work: Work,
    headerKey: string | null,
  ): Promise<void> {
    const given = (await json(request).catch(() => null)) as { order: number; ref?: string } | null;
    // The host was killed in the midst of it.
    if (given === null) return void request.socket.destroy();
    const { book, lossShare, onLost } = this.#options;
    const known = headerKey === null ? undefined : book.found(work, headerKey)[0];
    const done = known ?? book.do(work, given.order, headerKey ?? given.ref ?? "");
    if (Math.random() >= lossShare) return send(response, { [work]: done.number });
    const loss = losses[this.lostCount++ % losses.length] ?? "dropped";
    onLost?.(`${work} of order ${given.order}`, loss);
    if (loss === "dropped") return void request.socket.destroy();
    if (loss === "error 500") return void response.writeHead(500).end();
    setTimeout(() => send(response, { [work]: done.number }), lateMs).unref();
  }
}

function send(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

const answerTimeoutMs = 1_000;
const keyRetentionMs = 86_400_000;

/** What the host is told of the service: books know keys, parcels can be asked for. */
export function accountsOf(baseUrl: string): object {
  const base = {
    connector: "http",
    baseUrl,
    timeoutMs: answerTimeoutMs,
    allowPrivateAddresses: true,
  };
  const lookup = {
    path: "/parcels",
    query: { ref: "{key}" },
    sentAs: { field: "ref" },
    match: { "/ref": "{key}" },
    body: { parcel: "/parcel" },
    status: 200,
    visibilityDelayMs: 100,
  };
  const idempotency = { header: "Idempotency-Key", retentionMs: keyRetentionMs };
  return { shop: base, books: { ...base, idempotency }, parcels: { ...base, lookup } };
}
