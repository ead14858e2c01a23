import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** What becomes of a request that brings an order. */
export type Loss =
  | "nothing"
  /** It is booked, and the answer never comes. */
  | "answer"
  /** The connection ends before anything was done. */
  | "request"
  /** It is booked, and then something breaks. */
  | "500"
  /** It is booked, and nothing is ever said. */
  | "silence"
  /** It is booked, and the answer is no JSON. */
  | "form"
  | "401"
  | "422";

/** What becomes of a look whether an order is there. */
export type Look = "shows" | "hides" | "500" | "nonsense" | "gone";

type Booking = { readonly id: string; readonly key: string; readonly number: number };

/**
 * Takes orders over TCP, loses what it is told to lose, and knows what was really booked. It can be
 * asked for an order by its key, and tells repeats by it if it is told to.
 */
export class LossyShop {
  readonly bookings: Booking[] = [];
  /** Every order that came, booked or not. */
  readonly requests: string[] = [];
  lossOf: (id: string, times: number) => Loss = () => "nothing";
  look: Look = "shows";
  lookCount = 0;
  tellsRepeats = false;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<LossyShop> {
    const shop = new LossyShop();
    await new Promise<void>((resolve) => shop.#server.listen(0, "127.0.0.1", resolve));
    return shop;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get booked(): readonly string[] {
    return this.bookings.map(({ id }) => id);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET") return this.#show(request, response);
    const given = (await json(request).catch(() => null)) as Given | null;
    if (given === null) return void request.socket.destroy();
    const id = given.data?.id ?? given.id ?? "";
    this.requests.push(id);
    const loss = this.lossOf(id, this.requests.filter((each) => each === id).length);
    if (loss === "request") return void request.socket.destroy();
    if (loss === "401" || loss === "422") return void response.writeHead(Number(loss)).end();
    const key = String(request.headers["idempotency-key"] ?? given.ref ?? given.id);
    const { number } = this.#book(id, key);
    if (loss === "answer") return void request.socket.destroy();
    if (loss === "silence") return;
    if (loss === "500") return void response.writeHead(500).end("it broke afterwards");
    const text = loss === "form" ? "{ not json" : JSON.stringify({ number });
    response.writeHead(200, { "content-type": "application/json" }).end(text);
  }

  #book(id: string, key: string): Booking {
    const known = this.bookings.find((booking) => booking.key === key);
    if (known !== undefined && this.tellsRepeats) return known;
    const booking = { id, key, number: this.bookings.length + 1 };
    this.bookings.push(booking);
    return booking;
  }

  #show(request: IncomingMessage, response: ServerResponse): void {
    this.lookCount += 1;
    if (this.look === "gone") return void request.socket.destroy();
    if (this.look === "500") return void response.writeHead(500).end();
    const key = new URL(request.url ?? "/", this.url).searchParams.get("ref");
    const found = this.bookings.filter((booking) => booking.key === key);
    const shown = this.look === "hides" ? [] : found.map(({ number }) => ({ ref: key, number }));
    const text = this.look === "nonsense" ? "[[[" : JSON.stringify(shown);
    response.writeHead(200, { "content-type": "application/json" }).end(text);
  }
}

/** An order, or what a webhook makes of one. */
type Given = {
  readonly id?: string;
  readonly ref?: string;
  readonly data?: { readonly id: string };
};
