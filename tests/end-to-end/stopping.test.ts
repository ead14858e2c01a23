import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { HostProcess, newFolder, verifyFull, writeAccounts } from "./host-process.ts";
import { places } from "./stores.ts";
import { deployOrders, publishOrders } from "./story.ts";

/** Loses every answer, and when it is asked what became of it, says nothing for ever. */
class SilentShop {
  orderCount = 0;
  readonly asked = Promise.withResolvers<void>();
  /** The one who asked is gone. */
  readonly left = Promise.withResolvers<void>();
  readonly #server: Server = createServer((request) => {
    if (request.method === "POST") {
      this.orderCount += 1;
      return void request.socket.destroy();
    }
    request.socket.once("close", () => this.left.resolve());
    this.asked.resolve();
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      this.#server.closeAllConnections();
      this.#server.close();
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
}

test("[R143] [R66] a host that is to stop leaves a service that does not answer", async () => {
  const store = await places.SQLite();
  const shop = new SilentShop();
  const lookup = {
    path: "/orders",
    query: { ref: "{key}" },
    sentAs: { field: "ref" },
    match: { "/ref": "{key}" },
    status: 200,
  };
  const account = { lookup, timeoutMs: 600_000 };
  const accountsFile = writeAccounts(newFolder(), await shop.start(), account);
  const start = () => {
    const host = new HostProcess({ store, accountsFile });
    onTestFinished(() => host.kill("SIGKILL"));
    return host;
  };
  const host = start();
  await deployOrders(host);
  await publishOrders(host, ["o-1"]);
  await shop.asked.promise;
  const [ended] = await Promise.all([host.stop(), shop.left.promise]);
  expect(ended).toMatchObject({ code: 0 });
  const next = start();
  // Had it been waited for, that it did not answer would be on record.
  const notes = await evidenceNotes(next);
  expect(notes).toHaveLength(1);
  expect(notes[0]).not.toContain("no answer within");
  await next.stop();
  expect(shop.orderCount).toBe(1);
  expect((await verifyFull(store)).out).toContain("nothing differs");
});

type Runs = { readonly items: readonly { readonly runId: string }[] };
type Trace = {
  readonly sent: readonly { readonly evidence: readonly { readonly note: string }[] }[];
};

/** What is known of the call of the open run. */
async function evidenceNotes(host: HostProcess): Promise<readonly string[]> {
  const { items } = await host.api<Runs>("GET", "/workflows/orders/runs?status=open");
  const path = `/workflows/orders/runs/${items[0]?.runId}/trace`;
  const { sent } = await host.api<Trace>("GET", path);
  return sent.flatMap(({ evidence }) => evidence.map(({ note }) => note));
}
