import { EventEmitter } from "node:events";
import type pg from "pg";
import { expect, test } from "vitest";
import { LentConnection } from "./lent-connection.ts";

/** As the driver's: an error that nobody listens to ends the process. */
class Client extends EventEmitter {
  readonly released: boolean[] = [];

  release(closing: boolean): void {
    this.released.push(closing);
  }
}

function lend(): { readonly client: Client; readonly connection: LentConnection } {
  const client = new Client();
  return { client, connection: new LentConnection(client as unknown as pg.PoolClient, 1_000) };
}

test("a connection that breaks while it is being closed ends nothing else", () => {
  const { client, connection } = lend();
  connection.giveUp();
  expect(client.released).toEqual([true]);
  expect(() => client.emit("error", new Error("terminated by the server"))).not.toThrow();
});

test("a connection that was given back is the pool's to listen to", () => {
  const { client, connection } = lend();
  connection.giveBack();
  connection.giveUp();
  expect(client.released).toEqual([false]);
  expect(client.listenerCount("error")).toBe(0);
});
