import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HostChild, runHoldfast } from "../host-child.ts";
import { HostClient } from "../host-client.ts";
import { UsageError } from "../store-place.ts";
import { policyFile } from "./deploy-example.ts";
import type { FirstRunOptions } from "./options.ts";
import { OrderBook } from "./order-book.ts";
import { accountsOf, OrderShop } from "./order-shop.ts";

const customers = ["Ada", "Bob", "Cleo", "Dan", "Eve", "Finn"] as const;
/** Every so often an order is beyond what the grants allow, and a person is asked. */
const dearEvery = 4;
/** Orders that wait; more would only grow while nobody answers. */
const waitingMax = 12;

/** Any port will do. A short lease: what a dead host was sending is soon known to be quiet. */
const ofChaos = { HOLDFAST_PORT: "0", HOLDFAST_LEASE_MS: "2000" };

/** The service and the host of the example, with all that they keep in one data folder. */
export class OrderWorld {
  readonly folder: string;
  readonly book: OrderBook;
  readonly shop: OrderShop;
  readonly #accountsFile: string;
  readonly #isChaos: boolean;

  private constructor(
    { folder, chaos }: FirstRunOptions,
    parts: { book: OrderBook; shop: OrderShop; accountsFile: string },
  ) {
    this.folder = folder;
    this.book = parts.book;
    this.shop = parts.shop;
    this.#accountsFile = parts.accountsFile;
    this.#isChaos = chaos !== null;
  }

  /** The service keeps its address: calls that were recorded lead there. */
  static async open(
    options: FirstRunOptions,
    onLost?: (what: string, loss: string) => void,
  ): Promise<OrderWorld> {
    const place = join(options.folder, "orders-example");
    makeFolder(place);
    const portFile = join(place, "port");
    const book = new OrderBook(join(place, "book.jsonl"));
    const port = existsSync(portFile) ? Number(readFileSync(portFile, "utf8")) : 0;
    const { lossShare } = options;
    const given = { book, lossShare, ...(onLost === undefined ? {} : { onLost }) };
    const shop = await OrderShop.start(port, given).catch((cause) => {
      throw inUse(options.folder, port, cause);
    });
    writeFileSync(portFile, String(shop.port));
    const accountsFile = join(place, "accounts.json");
    writeFileSync(accountsFile, JSON.stringify(accountsOf(shop.url)));
    return new OrderWorld(options, { book, shop, accountsFile });
  }

  startHost(): HostChild {
    return new HostChild(this.#environment());
  }

  client(): HostClient {
    return new HostClient({ data: this.folder, onlyHost: true });
  }

  async verify(): Promise<boolean> {
    return (await runHoldfast(this.#environment(), "verify", "--full")) === 0;
  }

  /** A customer orders every so often, unless too much waits already. */
  placeOrders(everyMs: number): NodeJS.Timeout {
    return setInterval(() => {
      const { orders, missing } = this.book.tally;
      if (missing >= waitingMax) return;
      const customer = customers[orders % customers.length] ?? "Ada";
      const isDear = orders % dearEvery === dearEvery - 1;
      this.book.place(customer, isDear ? 12_500 : 1_250 + 5 * (orders % 100));
    }, everyMs);
  }

  #environment(): NodeJS.ProcessEnv {
    return {
      ...(this.#isChaos ? ofChaos : {}),
      ...process.env,
      HOLDFAST_DATA: this.folder,
      HOLDFAST_ACCOUNTS: this.#accountsFile,
      HOLDFAST_POLICY: policyFile,
    };
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.W_OK);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `nothing can be written to ${path} (${code}). Choose another folder with --data, or give ` +
        "this user the right to write there.",
    );
  }
}

/** Whoever has the service of this folder runs already. */
function inUse(folder: string, port: number, cause: NodeJS.ErrnoException): Error {
  if (cause.code !== "EADDRINUSE") return cause;
  return new UsageError(
    `port ${port}, where the order service of ${folder} is, is taken: it runs already. Stop that ` +
      "one with Ctrl-C, or choose another folder with --data.",
  );
}
