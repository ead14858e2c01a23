import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { defineConnector } from "@holdfast/connector-kit";
import { onTestFinished } from "vitest";

type Mail = { readonly to: string; readonly body: string };

/** A mail service over TCP. It sends whatever comes, also twice, and finds mails by Message-ID. */
export class PostOffice {
  readonly mails: (Mail & { readonly messageId: string })[] = [];
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  static async start(): Promise<PostOffice> {
    const office = new PostOffice();
    const server = office.#server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return office;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const messageId = decodeURIComponent(request.url ?? "").slice(1);
    if (request.method === "GET") {
      const isThere = this.mails.some((mail) => mail.messageId === messageId);
      return void response.writeHead(isThere ? 200 : 404).end();
    }
    const mail = (await json(request)) as Mail;
    this.mails.push({ ...mail, messageId });
    response.writeHead(200).end();
  }
}

type Account = { readonly url: string; readonly timeoutMs: number };

/** Has no keys: what was lost is found by the Message-ID, which is made of the host's key. */
export const gmail = defineConnector<Account>({
  name: "gmail",
  version: "1",
  readAccount: (given) => given as Account,
  operations: {
    send: {
      kind: "mutation",
      readParams: (given) => given as Mail,
      identity: ({ to }: Mail) => ({ to }),
      target: (_, { to }: Mail) => to,
      describe: (_, { to }: Mail) => `mail to ${to}`,
      guarantee: () => ({ canReconcile: true, idempotency: null, visibilityDelayMs: 1_000 }),
      execute: async ({ account, params, key, go, signal }) => {
        go();
        const body = JSON.stringify(params);
        await fetch(addressOf(account, key), { method: "POST", body, signal });
        return { messageId: messageIdOf(key) };
      },
      reconcile: async ({ account, key, signal }) => {
        const { status } = await fetch(addressOf(account, key), { signal });
        if (status === 404) return { says: "not_found", note: "no such mail" };
        return { says: "applied", result: { messageId: messageIdOf(key) } };
      },
    },
  },
});

function messageIdOf(key: string | null): string {
  return `<${key}@holdfast>`;
}

function addressOf({ url }: Account, key: string | null): string {
  return `${url}/${encodeURIComponent(messageIdOf(key))}`;
}
