import { expect, test } from "vitest";
import { command } from "../testing/inbox.testsuite.ts";
import { openSqliteStore } from "./index.ts";

function open() {
  return openSqliteStore({ memory: true, clock: () => 1, newIncarnation: () => "store-1" });
}

test("wakes nobody before the command's group is committed", async () => {
  const store = await open();
  await store.createWorkflow("orders");
  const seen: number[] = [];
  const woken = new Promise<void>((resolve) => {
    store.watch(() => {
      seen.push(store.groupCount);
      resolve();
    });
  });
  const before = store.groupCount;
  const appended = store.appendCommand(command("c-1"));
  expect(seen).toEqual([]);
  await Promise.all([appended, woken]);
  expect(seen).toEqual([before + 1]);
  await store.close();
});

test("wakes nobody once it is closing, though the command is still written", async () => {
  const store = await open();
  await store.createWorkflow("orders");
  const wakes: unknown[] = [];
  store.watch((wake) => wakes.push(wake));
  const appended = store.appendCommand(command("c-1"));
  await store.close();
  expect(await appended).toMatchObject({ position: 1 });
  await new Promise(setImmediate);
  expect(wakes).toEqual([]);
});
