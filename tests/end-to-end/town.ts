import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** What was done there, by whoever asked. */
export type Deed = { readonly path: string; readonly body: Readonly<Record<string, unknown>> };

/** Whom the examples of machines ask, in one server: a site, a bank, a stock, a carrier. */
export class Town {
  readonly deeds: Deed[] = [];
  /** Looks at the site, in the order they came. */
  readonly looks: string[] = [];
  /** How often the site says 503 of `/flaky` before it answers. */
  failures = 0;
  /** The site refuses every sign-in. */
  isSignedOut = false;
  /** Whether the stock has nothing and says so with 503. */
  isSoldOut = false;
  /** Charges are made, and their answers wait until somebody lets them go. */
  holdsCharges = false;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<Town> {
    const town = new Town();
    await new Promise<void>((resolve) => town.#server.listen(0, "127.0.0.1", resolve));
    return town;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  done(path: string): readonly Deed[] {
    return this.deeds.filter((deed) => deed.path === path);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
    if (request.method === "GET" && searchParams.has("ref")) {
      const found = this.done(pathname).find(({ body }) => body["ref"] === searchParams.get("ref"));
      return answer(
        response,
        200,
        found === undefined ? [] : [{ ...found.body, ...receiptOf(found) }],
      );
    }
    if (request.method === "GET") return this.#look(pathname, response);
    const body = (await json(request)) as Deed["body"];
    if (pathname === "/stock/reservations" && this.isSoldOut) return answer(response, 503, {});
    const deed = { path: pathname, body };
    this.deeds.push(deed);
    if (pathname === "/bank/charges" && this.holdsCharges) return;
    answer(response, 200, receiptOf(deed));
  }

  #look(path: string, response: ServerResponse): void {
    this.looks.push(path);
    if (this.isSignedOut) return answer(response, 401, {});
    const isFailing = path === "/site/flaky" && this.failures-- > 0;
    answer(response, isFailing ? 503 : 200, { path });
  }
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function receiptOf({ path, body }: Deed): object {
  const name = { "/bank/charges": "chargeId", "/bank/refunds": "refundId" }[path] ?? "parcel";
  return { [name]: `${name} of ${String(body["orderId"] ?? body["chargeId"])}` };
}
