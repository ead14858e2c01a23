import { HostError, type Store } from "@holdfast/core";
import { listRecords, replayMachines } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MachineInTest } from "./machine-in-test.ts";
import { openStores } from "./open-stores.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1 });
});
afterAll(() => sandbox.close());

describe.each(Object.entries(openStores))("large blobs of machines, on %s", (_, open) => {
  test("[M.C-16] their bytes are kept beside the frames, and replay needs them", async () => {
    const it = await MachineInTest.begin(sandbox, open);
    await it.say("o1", "big blob");
    expect(await it.log("o1")).toEqual(["big blob", "sys/blob.put@1 ok", "sys/blob.get@1 ok"]);
    for (const { body } of await it.test.rows("machine_frames")) {
      expect(body.size).toBeLessThan(6_000);
    }
    const { items } = await listRecords(it.parts, { after: 0, limit: 100 });
    const records = items.map(({ record }) => record as Readonly<Record<string, unknown>>);
    const params = records.find((each) => "params_ref" in each)?.["params_ref"];
    const payload = records.find((each) => "payload_ref" in each)?.["payload_ref"];
    await it.expectSound();
    for (const lost of [params, payload]) {
      expect(lost).toMatch(/^[0-9a-f]{64}$/);
      const store = lacking(it.test.store, `sha256:${String(lost)}`);
      const code = "missing_cas_dependency";
      expect(await replayMachines({ ...it.parts, store })).toMatchObject({ ok: false, code });
    }
    // A host that finds it so stops the workflow, and asks.
    it.test.way = (store) => lacking(store, `sha256:${String(payload)}`);
    await it.say("o1", "more");
    expect(await it.test.questions()).toEqual(["action_needed"]);
    expect(await it.log("o1")).not.toContain("more");
  });
});

/** The store without one of its blobs. */
function lacking(store: Store, lost: string): Store {
  return new Proxy(store, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (key !== "loadBlob") return typeof value === "function" ? value.bind(target) : value;
      return async (workflow: string, hash: Parameters<Store["loadBlob"]>[1]) => {
        if (hash !== lost) return target.loadBlob(workflow, hash);
        const words = { what: "It is gone.", remedy: "", retry: "safe" } as const;
        throw new HostError("BLOB_MISSING", words);
      };
    },
  });
}
