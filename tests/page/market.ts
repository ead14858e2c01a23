import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export type Order = { readonly id: string; readonly customer: string; readonly cents: number };

type Booking = { readonly ref: string; readonly customer: string; readonly cents: number };

/** Has new orders, takes bookings, and loses the answers it is told to lose. */
export class Market {
  readonly booked: Booking[] = [];
  /** By the workflow that looks for them. */
  readonly orders = new Map<string, readonly Order[]>();
  /** Customers whose booking is done and never answered. */
  readonly lost = new Set<string>();
  /** Whether it shows what was booked to whoever asks. */
  isShowing = true;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<Market> {
    const market = new Market();
    await new Promise<void>((resolve) => market.#server.listen(0, "127.0.0.1", resolve));
    return market;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How often something of this customer was booked. */
  timesOf(name: string): number {
    return this.booked.filter(({ customer }) => customer === name).length;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
    response.setHeader("content-type", "application/json");
    if (request.method !== "GET") return this.#book(request, response);
    const [, place, workflow = ""] = pathname.split("/");
    if (place === "new") {
      response.end(JSON.stringify(this.orders.get(workflow) ?? []));
      return;
    }
    const ref = searchParams.get("ref") ?? "";
    const found = this.booked.flatMap((each, at) => {
      return each.ref === ref ? [{ ref, number: `A-${at}` }] : [];
    });
    if (this.isShowing) response.end(JSON.stringify(found));
    else response.writeHead(500).end();
  }

  async #book(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const booking = (await json(request)) as Booking;
    this.booked.push(booking);
    if (this.lost.has(booking.customer)) return void request.socket.destroy();
    response.end(JSON.stringify({ number: `A-${this.booked.length}` }));
  }
}
