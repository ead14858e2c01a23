/** Blobs that machines put are collected when nothing names them: by types, never by looks. */
import {
  contentHash,
  encodeCanonical,
  type Hash,
  hashText,
  policyDefaults,
  type Store,
} from "@holdfast/core";
import type { EffectDeclaration } from "@holdfast/core/machine";
import { collectParts, replayMachines, showCell } from "@holdfast/host";
import { Sandbox } from "@holdfast/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStores } from "./open-stores.ts";
import { Fails, ScriptedWorld } from "./scripted-world.ts";
import { WorkflowInTest } from "./workflow-in-test.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await Sandbox.open({ threadsMax: 1 });
});
afterAll(() => sandbox.close());

const source = `
  import { continuation, machine, schema, workflow } from "@holdfast/sdk";
  const said = schema.record({
    id: schema.text(), say: schema.text(), text: schema.text(),
    ref: schema.option(schema.hash()),
  });
  export default workflow({
    name: "orders",
    connections: { shop: { connector: "http", account: "shop" } },
    topics: { said: { schema: said } },
    machines: {
      file: machine({
        state: schema.record({
          held: schema.option(schema.hash()), note: schema.text(), mode: schema.text(),
        }),
        event: schema.variant({ Said: schema.ref("said", said), Receipt: continuation.receipt }),
        key: schema.text(),
        effects: ["sys/blob.put@1", "sys/blob.get@1", "shop/keep@1"],
        subscribe: [{ topic: "said", key: "id" }],
        step(before, event) {
          const state = before ?? { held: null, note: "", mode: "" };
          if (event.$tag === "Receipt") {
            const { effect, status, payload } = event.$value;
            if (effect !== "sys/blob.put@1") return { state: { ...state, note: status } };
            const { blob_ref, edge_ref, size } = payload;
            if (state.mode === "throw at the receipt") throw new Error("as told");
            if (state.mode === "as text") return { state: { ...state, note: blob_ref } };
            const held = state.mode === "by its edge" ? edge_ref : blob_ref;
            return { state: { ...state, held, note: "put " + size } };
          }
          const { say, text, ref } = event.$value;
          if (say === "throw") throw new Error("as told");
          if (say === "drop") return { state: { ...state, held: null } };
          if (say === "hold") return { state: { ...state, held: ref } };
          if (say === "note") return { state: { ...state, note: text } };
          if (say === "get") {
            return { state, effects: [{ effect: "sys/blob.get@1", params: { blob_ref: ref } }] };
          }
          if (say === "send") {
            const params = { connection: "shop", blob: ref };
            return { state, effects: [{ effect: "shop/keep@1", params }] };
          }
          const bytes = Uint8Array.from(text, (each) => each.charCodeAt(0));
          const params = { bytes, ...(ref === null ? {} : { refs: [ref] }) };
          return {
            state: { ...state, mode: say }, effects: [{ effect: "sys/blob.put@1", params }],
          };
        },
      }),
    },
  });`;

/** A call that names a blob, and waits for somebody to sign in. */
const keepEffect: EffectDeclaration = {
  name: "shop/keep@1",
  kind: "mutation",
  params: { type: "record", fields: { connection: { type: "text" }, blob: { type: "hash" } } },
  receipt: { type: "record", fields: {} },
  error: null,
  executor: { module: "shop", moduleHash: contentHash("shop 1"), entrypoint: "keep" },
};
const refused = () => {
  throw new Fails("auth");
};

const machine = "orders/file@1";
const graceMs = 60_000;
const bytesOf = (text: string) => Uint8Array.from(text, (each) => each.charCodeAt(0));
const refOf = (text: string) => hashText(bytesOf(text));

class Files {
  readonly test: WorkflowInTest;
  readonly #clock: { now: number };
  #count = 0;

  private constructor(test: WorkflowInTest, clock: { now: number }) {
    this.test = test;
    this.#clock = clock;
  }

  static async begin(open: (typeof openStores)["memory"]): Promise<Files> {
    const clock = { now: 1_000_000 };
    return Files.#in(await open(() => clock.now), clock, "orders");
  }

  /** Another workflow in the same store. */
  beside(): Promise<Files> {
    return Files.#in(this.test.store, this.#clock, "others");
  }

  static async #in(store: Store, clock: { now: number }, workflow: string): Promise<Files> {
    const world = new ScriptedWorld({ shop: { keep: { kind: "mutation", answer: refused } } });
    const parts = { store, sandbox, world, clock, workflow, effects: [keepEffect] };
    const files = new Files(await WorkflowInTest.create(parts, source), clock);
    files.test.policy = { ...policyDefaults, machineSnapshotRecords: 1 };
    return files;
  }

  get parts() {
    const { store, workflow } = this.test;
    return { store, workflow, loadScript: async (hash: string) => this.test.scriptOf(hash) };
  }

  async tell(id: string, say: string, more: { text?: string; ref?: Hash } = {}): Promise<void> {
    const { text = "", ref = null } = more;
    const payload = encodeCanonical({ id, say, text, ref });
    const messageId = `event ${++this.#count}`;
    await this.test.command("publish_event", { topic: "said", messageId, payload, title: null });
  }

  async say(id: string, say: string, more: { text?: string; ref?: Hash } = {}): Promise<void> {
    await this.tell(id, say, more);
    await this.test.live();
  }

  /** Drops something in a cell, and has the snapshots that knew of it replaced. */
  async drop(id: string): Promise<void> {
    await this.say(id, "drop");
    await this.test.command("snapshot_machines", {});
    await this.test.live();
  }

  async state(id: string) {
    const shown = await showCell(this.parts, { machine, key: encodeCanonical(id) });
    return shown?.state as { held: string | null; note: string };
  }

  /** After their time of grace, unless it is said otherwise. */
  async collect({ isDryRun = false, waitsMs = graceMs * 2 } = {}) {
    this.test.now += waitsMs;
    const policy = { machineSnapshotsKept: 1, machinePartGraceMs: graceMs };
    return collectParts({ ...this.parts, policy, monotonicMs: () => 0 }, { isDryRun });
  }

  /** What there is, by the texts that were put. */
  async left(...texts: readonly string[]): Promise<readonly string[]> {
    const { store, workflow } = this.test;
    const names = await store.listParts(workflow, null, 10_000);
    return texts.filter((text) => names.includes(`blob:${refOf(text)}` as Hash));
  }
}

describe.each(Object.entries(openStores))(
  "[M.K7.7-5] blobs that machines put, on %s",
  (_, open) => {
    test("stay while a typed hash of a state names them, and go after their grace", async () => {
      const it = await Files.begin(open);
      await it.say("a", "put", { text: "one" });
      await it.say("b", "put", { text: "two" });
      expect(await it.state("a")).toMatchObject({ held: refOf("one"), note: "put 3" });
      expect((await it.collect()).blobs).toMatchObject({ parts: 4, unreachable: 0, unsure: null });
      await it.drop("a");
      expect((await it.collect({ isDryRun: true })).blobs).toMatchObject({
        unreachable: 2,
        swept: 0,
      });
      expect(await it.left("one", "two")).toEqual(["one", "two"]);
      expect((await it.collect()).blobs).toMatchObject({ unreachable: 2, swept: 2 });
      expect(await it.left("one", "two")).toEqual(["two"]);
      await it.say("b", "get", { ref: refOf("two") });
      expect(await it.state("b")).toMatchObject({ note: "ok" });
      await it.say("b", "get", { ref: refOf("one") });
      expect(await it.state("b")).toMatchObject({ note: "error" });
      expect(await replayMachines(it.parts)).toMatchObject({ ok: true });
      await it.test.expectSound();
    });

    test("stay for their time of grace, which begins anew when they are put again", async () => {
      const it = await Files.begin(open);
      await it.say("a", "as text", { text: "one" });
      expect((await it.collect({ waitsMs: 0 })).blobs).toMatchObject({ unreachable: 2, swept: 0 });
      it.test.now += graceMs * 2;
      await it.say("b", "as text", { text: "one" });
      expect((await it.collect({ waitsMs: 1 })).blobs).toMatchObject({ unreachable: 2, swept: 0 });
      expect((await it.collect()).blobs.swept).toBe(2);
      expect(await it.left("one")).toEqual([]);
    });
  },
);

describe("[M.K7.7-5] a blob that a machine put", () => {
  test("is not kept by a text that looks like its hash, nor by bytes that have it", async () => {
    const it = await Files.begin(openStores.memory);
    await it.say("a", "as text", { text: "one" });
    await it.say("b", "put", { text: refOf("one") });
    await it.say("c", "note", { text: refOf("one") });
    expect((await it.state("a")).note).toBe(refOf("one"));
    await it.collect();
    expect(await it.left("one", refOf("one"))).toEqual([refOf("one")]);
  });

  test("[M.E-10] keeps what it names by its edge, whichever of the two is held", async () => {
    const it = await Files.begin(openStores.memory);
    await it.say("a", "as text", { text: "leaf" });
    await it.say("a", "as text", { text: "middle", ref: refOf("leaf") });
    await it.say("b", "put", { text: "top", ref: refOf("middle") });
    await it.say("c", "by its edge", { text: "other" });
    await it.say("d", "as text", { text: "named by one that goes" });
    await it.say("d", "as text", { text: "goes", ref: refOf("named by one that goes") });
    const all = ["leaf", "middle", "top", "other", "named by one that goes", "goes"];
    await it.collect();
    expect(await it.left(...all)).toEqual(["leaf", "middle", "top", "other"]);
    await it.drop("b");
    await it.drop("c");
    await it.collect();
    expect(await it.left(...all)).toEqual([]);
  });

  test("may name what names it, once it was put again", async () => {
    const it = await Files.begin(openStores.memory);
    await it.say("a", "as text", { text: "one" });
    await it.say("a", "as text", { text: "two", ref: refOf("one") });
    await it.say("b", "put", { text: "one", ref: refOf("two") });
    await it.collect();
    expect(await it.left("one", "two")).toEqual(["one", "two"]);
    await it.drop("b");
    await it.collect();
    expect(await it.left("one", "two")).toEqual([]);
  });

  test("stays while an event names it that waits in a mailbox, or for the machines", async () => {
    const it = await Files.begin(openStores.memory);
    await it.say("a", "as text", { text: "one" });
    await it.say("a", "as text", { text: "two" });
    await it.say("b", "throw", { ref: refOf("one") });
    // Nobody has taken it in.
    await it.test.command("pause_workflow", {});
    await it.say("c", "hold", { ref: refOf("two") });
    expect(await it.test.rows("machine_inputs")).toHaveLength(1);
    await it.collect();
    expect(await it.left("one", "two")).toEqual(["one", "two"]);
  });

  test("stays while an open call names it", async () => {
    const it = await Files.begin(openStores.memory);
    await it.say("a", "as text", { text: "one" });
    await it.say("b", "send", { ref: refOf("one") });
    expect(await it.test.questions()).toEqual(["action_needed"]);
    await it.collect();
    expect(await it.left("one")).toEqual(["one"]);
  });

  test("stays while the receipt that tells of it has not been stepped on", async () => {
    const it = await Files.begin(openStores.memory);
    await it.say("a", "throw at the receipt", { text: "one" });
    await it.collect();
    expect(await it.left("one")).toEqual(["one"]);
  });

  test("stays where what names it came after the last snapshot", async () => {
    const it = await Files.begin(openStores.memory);
    await it.say("a", "as text", { text: "one" });
    it.test.policy = policyDefaults;
    await it.say("b", "hold", { ref: refOf("one") });
    await it.collect();
    expect(await it.left("one")).toEqual(["one"]);
  });

  test("stays where nobody knows any more what a machine's states name", async () => {
    const it = await Files.begin(openStores.memory);
    await it.say("a", "put", { text: "one" });
    await it.drop("b");
    it.test.now += graceMs * 2;
    const policy = { machineSnapshotsKept: 1, machinePartGraceMs: graceMs };
    const without = async (hash: string) => {
      const { machines: _, ...rest } = it.test.scriptOf(hash);
      return rest;
    };
    const parts = { ...it.parts, loadScript: without, policy, monotonicMs: () => 0 };
    const { blobs } = await collectParts(parts, { isDryRun: false });
    expect(blobs).toMatchObject({
      unreachable: 2,
      swept: 0,
      unsure: expect.stringMatching("file"),
    });
    expect(await it.left("one")).toEqual(["one"]);
  });

  test("is its workflow's own: another one that has the same bytes keeps them", async () => {
    const it = await Files.begin(openStores.SQLite);
    const other = await it.beside();
    await it.say("a", "as text", { text: "one" });
    await other.say("a", "put", { text: "one" });
    await it.collect();
    expect(await it.left("one")).toEqual([]);
    expect(await other.left("one")).toEqual(["one"]);
  });
});
