import { appendFileSync, existsSync, readFileSync } from "node:fs";

export type Order = {
  readonly number: number;
  readonly customer: string;
  readonly cents: number;
};

/** What was done for an order, under the key it was asked with. */
type Done = { readonly order: number; readonly key: string; readonly number: number };

/** What the service can be asked to do for an order. */
export type Work = "booking" | "parcel";

type Line = { readonly order: Order } | ({ readonly work: Work } & Done);

export type Tally = {
  readonly orders: number;
  readonly applied: number;
  readonly duplicates: number;
  /** Bookings and parcels that should be there and are not, or not yet. */
  readonly missing: number;
};

/** What the service really did. A line per thing in a file, so that it outlives its process. */
export class OrderBook {
  readonly #path: string;
  readonly #orders: Order[] = [];
  readonly #done: Record<Work, Done[]> = { booking: [], parcel: [] };

  constructor(path: string) {
    this.#path = path;
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    // Without its end, a line was never answered for.
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    for (const line of whole.split("\n")) if (line !== "") this.#take(JSON.parse(line) as Line);
  }

  ordersAfter(number: number, most: number): readonly Order[] {
    return this.#orders.slice(number, number + most);
  }

  place(customer: string, cents: number): void {
    this.#add({ order: { number: this.#orders.length + 1, customer, cents } });
  }

  do(work: Work, order: number, key: string): Done {
    const done = { order, key, number: this.#done[work].length + 1 };
    this.#add({ work, ...done });
    return done;
  }

  found(work: Work, key: string): readonly Done[] {
    return this.#done[work].filter((each) => each.key === key);
  }

  get tally(): Tally {
    const works = [this.#done.booking, this.#done.parcel];
    const distinct = works.map((done) => new Set(done.map(({ order }) => order)).size);
    const applied = works.reduce((sum, done) => sum + done.length, 0);
    const served = distinct.reduce((sum, count) => sum + count, 0);
    const orders = this.#orders.length;
    const missing = works.length * orders - served;
    return { orders, applied, duplicates: applied - served, missing };
  }

  #add(line: Line): void {
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`);
    this.#take(line);
  }

  #take(line: Line): void {
    if ("work" in line) this.#done[line.work].push(line);
    else this.#orders.push(line.order);
  }
}
