import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newFolder, runOffline, type StorePlace, verifyFull } from "./host-process.ts";
import { chainOf, exportTo, fillStore, importFrom, newFile, runToDeath } from "./moving.ts";
import { places } from "./stores.ts";

type Found = "empty" | "unfinished" | "exported" | "whole";

/** What a command finds that wants to work with the store. */
async function find(store: StorePlace, records: readonly string[]): Promise<Found> {
  const { code, out } = await verifyFull(store);
  if (out.includes("STORE_UNFINISHED")) return "unfinished";
  if (out.includes("STORE_EXPORTED")) return "exported";
  // Nobody had got as far as to make one.
  if (out.includes("STORE_GONE")) return "empty";
  expect([code, out]).toEqual([0, expect.stringContaining("nothing differs")]);
  if (out.includes("0 workflows")) return "empty";
  expect(await chainOf(store)).toEqual(records);
  return "whole";
}

async function exportedStore(): Promise<{ file: string; records: readonly string[] }> {
  const store = await places.SQLite();
  await fillStore(store);
  const records = await chainOf(store);
  const file = newFile();
  await exportTo(store, file);
  return { file, records };
}

/** Dies at each point, one after the other, until it comes to its end. */
async function untilItLives(
  step: number,
  attempt: (at: number) => Promise<{ readonly code: number | null }>,
): Promise<number> {
  for (let at = 1; ; at += step) {
    const { code } = await attempt(at);
    if (code !== null) {
      expect(code).toBe(0);
      return at;
    }
  }
}

const importDeaths = [
  ["SQLite", "commit", 1],
  ["PostgreSQL", "wire", 3],
] as const;

test.each(importDeaths)(
  "[R160] an import into %s that is killed leaves no half store",
  async (name, among, step) => {
    const { file, records } = await exportedStore();
    const seen = new Set<Found>();
    const lastPoint = await untilItLives(step, async (at) => {
      const target = await places[name]();
      const died = await runToDeath(target, { among, at }, "import", file);
      const found = await find(target, records);
      seen.add(found);
      if (died.code === null && found === "empty") await importFrom(target, file);
      if (found === "unfinished") {
        const again = await runOffline(target, "import", file);
        expect([again.code, again.out]).toEqual([3, expect.stringContaining("STORE_UNFINISHED")]);
        const said = ["accept-restored", "--ledger-compared", "--unnoticed", "--exported"];
        expect((await runOffline(target, ...said)).out).toContain("STORE_UNFINISHED");
      }
      return died;
    });
    expect(lastPoint).toBeGreaterThan(5);
    expect([...seen].sort()).toEqual(["empty", "unfinished", "whole"]);
  },
  600_000,
);

/** A file under its name is whole, and its store has ended; otherwise both are as before. */
async function lookAfterExport(store: StorePlace, file: string, records: readonly string[]) {
  const found = await find(store, records);
  const isThere = existsSync(file);
  expect([found, isThere]).not.toEqual(["whole", true]);
  if (found === "exported") {
    const whole = isThere ? file : `${file}.unfinished`;
    const target: StorePlace = { kind: "sqlite", folder: join(newFolder(), "data") };
    onTestFinished(() => rmSync(target.folder, { recursive: true }));
    await importFrom(target, whole);
    expect(await chainOf(target)).toEqual(records);
  }
  return `${found}, ${isThere ? "with" : "without"} its file`;
}

const exportDeaths = [
  ["SQLite", "file,commit", 2],
  ["PostgreSQL", "file,wire", 1],
] as const;

test.each(exportDeaths)(
  "[R160] an export from %s that is killed leaves one store that goes on",
  async (name, among, step) => {
    const seen = new Set<string>();
    const store = await places[name]();
    await fillStore(store);
    const records = await chainOf(store);
    await untilItLives(step, async (at) => {
      const file = newFile();
      const died = await runToDeath(store, { among, at }, "export", file, "--with-state");
      const found = await lookAfterExport(store, file, records);
      seen.add(found);
      if (existsSync(file)) expect(readFileSync(file).length).toBeGreaterThan(1_000);
      if (found.startsWith("exported")) {
        const said = ["accept-restored", "--ledger-compared", "--exported"];
        expect(await runOffline(store, ...said)).toMatchObject({ code: 0 });
      }
      return died;
    });
    expect(seen).toContain("whole, without its file");
    expect(seen).toContain("exported, without its file");
    expect(seen).toContain("exported, with its file");
  },
  600_000,
);
