import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { encodeCanonical, pinPayload } from "@holdfast/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Owner } from "../testing/change-builder.ts";
import { everythingOf } from "../testing/expectation.ts";
import { command } from "../testing/inbox.testsuite.ts";
import type { PostgresStore } from "./postgres-store.ts";
import { TestServer } from "./testing/index.ts";
import { ask, errorOf, openInTest } from "./testing/store-in-test.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-disk-full-"));
const flag = join(folder, "full");
/** More than one page of a table, so that the table has to grow. */
const bigBytes = 3_000_000;

/** Null = there is no compiler, or it cannot. */
function buildLibrary(): string | null {
  const source = fileURLToPath(new URL("./testing/disk-full.c", import.meta.url));
  const library = join(folder, "disk-full.so");
  const flags = ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"];
  const { status } = spawnSync(process.env["CC"] ?? "cc", flags, { stdio: "ignore" });
  if (status !== 0) return null;
  // The server may run as somebody else.
  chmodSync(folder, 0o755);
  return library;
}

function fillDisk(isFull: boolean): void {
  if (isFull) writeFileSync(flag, "");
  else rmSync(flag, { force: true });
}

/** Of random bytes: what can be packed small would still fit. */
function bigBlob(seed: number) {
  const bytes = new Uint8Array(bigBytes);
  let state = seed;
  for (let index = 0; index < bytes.length; index++) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    bytes[index] = state >> 16;
  }
  const { blob } = pinPayload(encodeCanonical(bytes));
  return blob === null ? [] : [blob];
}

const library = buildLibrary();
afterAll(() => rmSync(folder, { recursive: true }));

if (library === null) {
  const note = "no working C compiler here: a full disk of the server was not tried";
  test(`a server whose disk is full is not known (${note})`, () => {
    console.warn(`postgres: ${note}`);
    expect(process.env["CI"] ?? "", "CI tries it: install cc").toBe("");
  });
} else {
  describe("a server whose disk is full", () => {
    let server: TestServer;
    beforeAll(async () => {
      const environment = { LD_PRELOAD: library, HOLDFAST_DISK_FULL: flag };
      server = await TestServer.start({ environment });
    });
    afterAll(() => server?.stop());

    async function fillUp(store: PostgresStore, owner: Owner): Promise<void> {
      await owner.persist();
      const before = await everythingOf(store, owner);
      fillDisk(true);
      const error = await errorOf(() => owner.commit({ blobs: bigBlob(1) }), "STORE_FULL");
      expect(error).toMatchObject({ retry: "safe", details: { sqlstate: "53100" } });
      expect(await everythingOf(store, owner)).toEqual(before);
    }

    test("takes nothing by halves, says so, and goes on when there is room", async () => {
      const store = await openInTest({ url: server.url() });
      const owner = await Owner.create(store);
      try {
        await fillUp(store, owner);
        const big = command("big", { body: crypto.getRandomValues(new Uint8Array(65_536)) });
        const appends = Array.from({ length: 50 }, (_, index) =>
          store.appendCommand({ ...big, commandId: `big-${index}` }).catch((cause) => cause.code),
        );
        expect(await Promise.all(appends)).toContain("STORE_FULL");
      } finally {
        fillDisk(false);
      }
      await owner.persistChange({ blobs: bigBlob(1) });
      expect((await store.load("orders", [])).head.seq).toBe(2);
      expect(await ask(server.url(), "SELECT count(*) FROM holdfast.blobs")).toEqual([["1"]]);
    });

    test("takes nothing of a group that it has no room for", async () => {
      const store = await openInTest({ url: server.url() });
      const [small, big] = [await Owner.create(store, "small"), await Owner.create(store, "big")];
      fillDisk(true);
      try {
        const changes = [small.change(), big.change({ blobs: bigBlob(2) })];
        await errorOf(() => store.commit(changes), "STORE_FULL");
      } finally {
        fillDisk(false);
      }
      expect((await store.load("small", [])).head.seq).toBe(0);
      expect((await store.load("big", [])).head.seq).toBe(0);
      await small.persist();
    });
  });
}
