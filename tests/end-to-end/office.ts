import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

type Mail = { readonly id: number; readonly from: string };

/** A mailbox with so many mails, and a sheet that counts what was written to it. */
export class Office {
  readonly written: { readonly path: string; readonly id: string }[] = [];
  readonly #mails: readonly Mail[];
  readonly #server: Server;

  private constructor(mails: number) {
    this.#mails = Array.from({ length: mails }, (_, index) => {
      return { id: index + 1, from: `person-${index % 7}@example.com` };
    });
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start({ mails }: { readonly mails: number }): Promise<Office> {
    const office = new Office(mails);
    await new Promise<void>((resolve) => office.#server.listen(0, "127.0.0.1", resolve));
    return office;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://office");
    response.setHeader("content-type", "application/json");
    if (request.method === "GET") {
      const [after, limit] = [Number(searchParams.get("after")), Number(searchParams.get("limit"))];
      response.end(JSON.stringify(this.#mails.slice(after, after + limit)));
      return;
    }
    const { id } = (await json(request)) as { id: string };
    this.written.push({ path: pathname, id });
    response.end(JSON.stringify({ number: this.written.length }));
  }
}
