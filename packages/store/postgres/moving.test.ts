import { randomUUID } from "node:crypto";
import { encodeCanonical, HostError, type Store } from "@holdfast/core";
import { expect, onTestFinished, test } from "vitest";
import { openArrivingPostgres, openDepartingPostgres, openPostgresStore } from "./index.ts";
import { createSchemaDatabase } from "./testing/index.ts";

async function newUrl(): Promise<string> {
  const { url, drop } = await createSchemaDatabase();
  onTestFinished(drop);
  return url;
}

async function open(url: string): Promise<Store> {
  const store = await openPostgresStore({ url, newIncarnation: randomUUID });
  onTestFinished(() => store.close());
  return store;
}

function append(store: Store, commandId: string): Promise<unknown> {
  const command = { workflow: "orders", actor: "ann", kind: "pause_workflow", at: 1 };
  return store.appendCommand({ ...command, commandId, body: encodeCanonical({}) });
}

const codeOf = (error: unknown) => (error instanceof HostError ? error.code : error);
const mark = { at: 1, by: "ann", file: "/a/file" };

test("[R160] who opened a store before its export waits, and then writes nothing", async () => {
  const url = await newUrl();
  const other = await open(url);
  await other.createWorkflow("orders");
  const leaving = await openDepartingPostgres({ url, newIncarnation: randomUUID });
  let isOver = false;
  const late = append(other, "late").then(
    () => "written",
    (error: unknown) => {
      expect(isOver).toBe(true);
      return codeOf(error);
    },
  );
  expect(
    await leaving.readAside({ table: "commands", workflow: "orders", after: null, limit: 9 }),
  ).toEqual([]);
  isOver = true;
  await leaving.markExported(mark);
  await leaving.close();
  expect(await late).toBe("STORE_RESTORED");
  expect(codeOf(await append(other, "later").catch((error: unknown) => error))).toBe(
    "STORE_RESTORED",
  );
  expect(await other.readInbox("orders", 9)).toEqual([]);
});

test("[R160] an export that is given up leaves everything as it was", async () => {
  const url = await newUrl();
  const other = await open(url);
  await other.createWorkflow("orders");
  const leaving = await openDepartingPostgres({ url, newIncarnation: randomUUID });
  const late = append(other, "late");
  await leaving.close();
  await late;
  expect(await other.readInbox("orders", 9)).toHaveLength(1);
});

test("[R160] who opened an empty store before an import went into it writes nothing", async () => {
  const url = await newUrl();
  const other = await open(url);
  const coming = await openArrivingPostgres({ url, newIncarnation: randomUUID });
  onTestFinished(() => coming.close());
  const made = await other.createWorkflow("orders").catch((error: unknown) => codeOf(error));
  expect(made).toBe("STORE_RESTORED");
  await expect(openPostgresStore({ url, newIncarnation: randomUUID })).rejects.toMatchObject({
    code: "STORE_UNFINISHED",
  });
});
