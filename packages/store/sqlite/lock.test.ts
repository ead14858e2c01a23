import { HostError } from "@holdfast/core";
import { expect, test } from "vitest";
import { killChild, startChild } from "./testing/child.ts";
import { newFolder, openStore } from "./testing/folder.ts";

async function refusalOf(folder: string): Promise<HostError> {
  const outcome = await openStore(folder).catch((error: unknown) => error);
  if (!(outcome instanceof HostError)) throw new Error(`expected a refusal, got ${outcome}`);
  return outcome;
}

test("refuses a second handle in the same process, and names the owner", async () => {
  const folder = newFolder();
  await openStore(folder);
  const refusal = await refusalOf(folder);
  expect(refusal).toMatchObject({ code: "STORE_LOCKED", retry: "safe" });
  const since = "2026-01-01T00:00:00.000Z";
  expect(refusal.message).toContain(`lock.json says it was process ${process.pid}, since ${since}`);
});

test("a refused second handle does not loosen the first one's hold", async () => {
  const folder = newFolder();
  const store = await openStore(folder);
  for (let attempt = 0; attempt < 3; attempt++) await refusalOf(folder);
  const child = startChild("open", folder);
  expect(await child.hear()).toMatchObject({ code: "STORE_LOCKED" });
  expect(await store.createWorkflow("orders")).toEqual({ created: true });
});

test("frees the folder when the store is closed", async () => {
  const folder = newFolder();
  const store = await openStore(folder);
  await store.close();
  await (await openStore(folder)).close();
});

test("refuses a second process, and frees the folder when the owner is killed", async () => {
  const folder = newFolder();
  const child = startChild("hold", folder);
  expect(await child.hear()).toEqual({ pid: child.process.pid });
  const refusal = await refusalOf(folder);
  expect(refusal.code).toBe("STORE_LOCKED");
  expect(refusal.details).toMatchObject({ pid: child.process.pid });
  await killChild(child);
  const store = await openStore(folder);
  expect(store.storeIncarnation).toBe("store-child");
});

test("refuses while the owner is only stopped", async () => {
  const folder = newFolder();
  const child = startChild("hold", folder);
  await child.hear();
  child.process.kill("SIGSTOP");
  expect((await refusalOf(folder)).code).toBe("STORE_LOCKED");
  await killChild(child);
});
