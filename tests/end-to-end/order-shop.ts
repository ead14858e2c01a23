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
  /** Does it and answers only when it is told to: who looks before finds nothing. */
  | "books late"
  /** Says no, and has done nothing. */
  | "refuses"
  /** Wants somebody to sign in first, and has done nothing. */
  | "signs out"
  /** Cannot do anything now, and says so. */
  | "is away"
  /** Closes the connection before it has done anything. */
  | "dies";

const refusals: Readonly<Partial<Record<Mood, number>>> = {
  refuses: 422,
  "signs out": 401,
  "is away": 503,
};

export type Application = {
  readonly id: string;
  readonly sum: unknown;
  readonly ref?: string;
};

/** A service of its own over TCP that counts what was really done there. */
export class OrderShop {
  readonly applied: Application[] = [];
  /** Every request, a read too, whatever became of it. */
  readonly heard: string[] = [];
  /** Orders that were booked late, when whoever wanted them was gone. */
  readonly bookedForNobody: string[] = [];
  mood: Mood | ((applied: number, order: Application) => Mood) = "answers";
  /** What it says to who asks whether an order is there. */
  look: "shows" | "nonsense" = "shows";
  /** Awaited before a read is answered. */
  onRead: (path: string) => Promise<void> = async () => {};
  readonly #server: Server;
  readonly #held: (() => void)[] = [];
  /** By key, where one came along. */
  readonly #numbers = new Map<string, number>();

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

  /** As after its retention: what comes under an old key is a new order. */
  forgetKeys(): void {
    this.#numbers.clear();
  }

  answerHeld(): void {
    for (const answer of this.#held.splice(0)) answer();
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.heard.push(`${request.method} ${request.url}`);
    if (request.method === "GET") {
      await this.onRead(request.url ?? "/");
      return this.#show(request, response);
    }
    const order = (await json(request).catch(() => null)) as Application | null;
    if (order === null) return void request.socket.destroy();
    const mood = typeof this.mood === "string" ? this.mood : this.mood(this.applied.length, order);
    if (mood === "dies") return void request.socket.destroy();
    const refusal = refusals[mood];
    if (refusal !== undefined) return void response.writeHead(refusal).end();
    const book = () => this.#book(order, request.headers["idempotency-key"]);
    if (mood === "books late") {
      this.#held.push(() => {
        if (request.socket.destroyed) this.bookedForNobody.push(order.id);
        say(response, { number: book() });
      });
      return;
    }
    const number = book();
    const answer = () => say(response, { number });
    if (mood === "drops the answer") request.socket.destroy();
    else if (mood === "delays") this.#held.push(answer);
    else answer();
  }

  /** Its number. A repeat under the same key is the same order. */
  #book(order: Application, key: unknown): number {
    const known = typeof key === "string" ? this.#numbers.get(key) : undefined;
    if (known !== undefined) return known;
    this.applied.push(order);
    if (typeof key === "string") this.#numbers.set(key, this.applied.length);
    return this.applied.length;
  }

  /** Orders with this reference: how somebody who lost an answer finds out. */
  #show(request: IncomingMessage, response: ServerResponse): void {
    if (this.look === "nonsense") return void response.end("<html>");
    const ref = new URL(request.url ?? "/", "http://shop").searchParams.get("ref");
    const found = this.applied.flatMap((order, index) =>
      order.ref === ref ? [{ ref, number: index + 1 }] : [],
    );
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(found));
  }
}

function say(response: ServerResponse, answer: object): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(answer));
}
