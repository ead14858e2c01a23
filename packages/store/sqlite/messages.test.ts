import { type Command, type Hash, HostError, InvariantError, type Store } from "@holdfast/core";
import { expect, test } from "vitest";
import { openMemoryStore } from "../memory/index.ts";
import { storeError } from "./errors.ts";
import { openSqliteStore } from "./index.ts";
import { plainOptions } from "./testing/folder.ts";

const command: Command = {
  commandId: "approve-17",
  workflow: "orders",
  actor: "ann",
  kind: "approve",
  body: new Uint8Array([1]),
  at: 0,
};

const mishaps: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  COMMAND_ID_REUSED: async (store) => {
    await store.createWorkflow("orders");
    await store.appendCommand(command);
    await store.appendCommand({ ...command, body: new Uint8Array([2]) });
  },
  COMMAND_MALFORMED: async (store) => {
    await store.createWorkflow("orders");
    await store.appendCommand({ ...command, actor: "\uD800" });
  },
  STORE_CLOSED: async (store) => {
    await store.close();
    await store.load("orders", []);
  },
  WORKFLOW_UNKNOWN: (store) => store.load("invoices", []),
  BLOB_MISSING: async (store) => {
    await store.createWorkflow("orders");
    await store.loadBlob("orders", "sha256:none" as Hash);
  },
};

async function mishapOf(store: Store, code: string): Promise<unknown> {
  const error = await mishaps[code]?.(store).catch((thrown: unknown) => thrown);
  await store.close();
  if (!(error instanceof HostError)) throw new Error(`expected ${code}, got ${error}`);
  const { message, retry, details } = error;
  return { code: error.code, message, retry, details };
}

test.each(Object.keys(mishaps))("%s says the same from every store", async (code) => {
  const sqlite = await openSqliteStore({ memory: true, ...plainOptions });
  const memory = await openMemoryStore(plainOptions);
  const said = await mishapOf(sqlite, code);
  expect(said).toMatchObject({ code, retry: "safe" });
  expect(await mishapOf(memory, code)).toEqual(said);
});

/** SQLite's result codes that are about what was asked, never about the disk. */
test.each([1, 21, 25])("result code %i of SQLite is a mistake of ours", (errcode) => {
  const said = Object.assign(new Error("near SELEC: syntax error"), { errcode, errstr: "" });
  const error = storeError(said, { path: "x.db", doing: "Reading" });
  expect(error).toBeInstanceOf(InvariantError);
  expect(error.cause).toBe(said);
});
