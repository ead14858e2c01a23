import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json, text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/**
 * Gives tokens for a refresh token, another each time, and takes orders from whoever shows the
 * token it gave last. What was given before is worth nothing.
 */
export class GuardedShop {
  /** The refresh token it takes next. */
  refreshToken = "";
  /** Every token and refresh token it has given. */
  readonly given: string[] = [];
  /** What it was asked for tokens with. */
  readonly asked: string[] = [];
  readonly booked: string[] = [];
  /** Requests that were not let in. */
  refusedCount = 0;
  readonly #server: Server;
  #token = "";

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<GuardedShop> {
    const shop = new GuardedShop();
    await new Promise<void>((resolve) => shop.#server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      shop.#server.closeAllConnections();
      shop.#server.close();
    });
    return shop;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = (status: number, body: object) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (request.url === "/token")
      return this.#give(new URLSearchParams(await text(request)), answer);
    const { id } = (await json(request)) as { readonly id: string };
    const { authorization = "" } = request.headers;
    if (authorization !== `Bearer ${this.#token}`) {
      this.refusedCount += 1;
      return answer(401, { sorry: `${authorization} is nobody` });
    }
    this.booked.push(id);
    answer(201, { number: this.booked.length, for: authorization });
  }

  #give(form: URLSearchParams, answer: (status: number, body: object) => void): void {
    const shown = form.get("refresh_token") ?? "";
    this.asked.push(shown);
    if (shown !== this.refreshToken) {
      return answer(400, { error: "invalid_grant", error_description: `${shown} is over` });
    }
    const count = this.asked.length;
    this.#token = `an-access-token-${count}`;
    this.refreshToken = `a-refresh-token-${count}`;
    this.given.push(this.#token, this.refreshToken);
    const body = { access_token: this.#token, token_type: "bearer", expires_in: 3_600 };
    answer(200, { ...body, refresh_token: this.refreshToken });
  }
}
