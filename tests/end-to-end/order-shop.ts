import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** What the shop does with the next request. */
export type Mood =
  | "answers"
  /** Does it, and the answer is lost with the connection. */
  | "drops the answer"
  /** Does it, and answers only when it is told to. */
  | "delays"
  /** Says no, and has done nothing. */
  | "refuses"
  /** Closes the connection before it has done anything. */
  | "dies";

export type Application = { readonly id: string; readonly sum: unknown };

/** A service of its own over TCP that counts what was really done there. */
export class OrderShop {
  readonly applied: Application[] = [];
  mood: Mood | ((applied: number) => Mood) = "answers";
  readonly #server: Server;
  readonly #held: (() => void)[] = [];

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<OrderShop> {
    const shop = new OrderShop();
    await new Promise<void>((resolve) => shop.#server.listen(0, "127.0.0.1", resolve));
    return shop;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How often each order was booked. */
  get counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { id } of this.applied) counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts;
  }

  answerHeld(): void {
    for (const answer of this.#held.splice(0)) answer();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const order = (await json(request).catch(() => null)) as Application | null;
    if (order === null) return void request.socket.destroy();
    const mood = typeof this.mood === "string" ? this.mood : this.mood(this.applied.length);
    if (mood === "dies") return void request.socket.destroy();
    if (mood === "refuses") return void response.writeHead(422).end();
    this.applied.push(order);
    const answer = () => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ number: this.applied.length }));
    };
    if (mood === "drops the answer") request.socket.destroy();
    else if (mood === "delays") this.#held.push(answer);
    else answer();
  }
}
