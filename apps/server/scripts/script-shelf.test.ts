import type { Hash, HostedScript } from "@holdfast/core";
import { realTimers } from "@holdfast/host";
import { describe, expect, test } from "vitest";
import { Accounts } from "../accounts.ts";
import type { OpenedScript } from "../ports.ts";
import { HostSecrets } from "../secrets.ts";
import { ScriptShelf } from "./script-shelf.ts";

/** A workshop that counts what it opens; what comes out of it is never run. */
function shelfOf() {
  let openedCount = 0;
  const manifest = { name: "w", connections: [], operations: [], machines: [], producers: [] };
  const open = async (): Promise<OpenedScript> => {
    openedCount += 1;
    const source = { entry: "w.ts", files: {} };
    return { source, manifest, uses: [], host: () => ({}) as HostedScript };
  };
  const shelf = new ScriptShelf({
    store: {
      loadBlob: async () => new Uint8Array(),
      load: async () => {
        throw new Error("nobody asks which one is active");
      },
    },
    workshop: { pack: async () => ({ ok: false, problems: [] }), open },
    accounts: new Accounts({}, () => new Map()),
    secrets: new HostSecrets({}),
    now: () => 0,
    timers: realTimers,
    random: () => 0,
  });
  return { shelf, openedCount: () => openedCount };
}

const hashOf = (number: number) => `sha256:${number}` as Hash;

describe("the deployed versions that a host has opened", () => {
  test("are opened once, while there are not too many", async () => {
    const { shelf, openedCount } = shelfOf();
    for (const workflow of ["a", "b", "a"]) await shelf.load(workflow, hashOf(1));
    expect(openedCount()).toBe(1);
  });

  test("do not pile up: the one used longest ago is opened anew", async () => {
    const { shelf, openedCount } = shelfOf();
    for (let number = 0; number < 501; number++) {
      await shelf.load(`w-${number}`, hashOf(number));
      shelf.letGo(`w-${number}`);
      await shelf.version("often", hashOf(0));
    }
    expect(openedCount()).toBe(501);
    await shelf.load("w-0", hashOf(0));
    expect(openedCount()).toBe(501);
    await shelf.load("w-1", hashOf(1));
    expect(openedCount()).toBe(502);
  });

  test("stay with the workflow that is being worked for", async () => {
    const { shelf, openedCount } = shelfOf();
    const script = await shelf.load("busy", hashOf(0));
    for (let number = 1; number < 600; number++) await shelf.version("other", hashOf(number));
    expect(await shelf.load("busy", hashOf(0))).toBe(script);
    expect(openedCount()).toBe(600);
  });
});
