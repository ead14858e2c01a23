import { describe, expect, test } from "vitest";
import { contentHash, encodeCanonical, hashText } from "../canonical/index.ts";
import { hex } from "./hex.ts";
import type { Admission, ReceiptInput } from "./input.ts";
import { hostWord, type ReceiptStatement, receiptLeaf } from "./signature.ts";
import { keyOf, MachineWorld, setOf } from "./testing/machine-world.ts";
import { orderStep } from "./testing/order-step.ts";
import { effectOf, option, orderSet, record, text } from "./testing/sample-set.ts";

const orders = (limits = {}) =>
  new MachineWorld({ declaration: orderSet(), steps: { order: orderStep }, limits });
const say = (world: MachineWorld, word: string, id = "1") =>
  world.send("order.placed", { id, say: word });
const outcomeOf = (answer: Admission): string => (answer.ok ? answer.outcome : answer.code);
const log = (world: MachineWorld, id = "1") =>
  (world.state("order", id) as { log: readonly string[] } | undefined)?.log;

describe("receipts", () => {
  test("[M.V-1] [M.V-2] [M.V-3] the envelope says whose it is and echoes its handle", () => {
    let seen: unknown = null;
    const world = new MachineWorld({
      declaration: orderSet(),
      steps: {
        order: (state: never, event: never) => {
          seen = event;
          return orderStep(state, event);
        },
      },
    });
    say(world, "book");
    const intent = world.firstOpen();
    expect(outcomeOf(world.settle(intent, "ok", { ref: "r" }))).toBe("taken");
    const payload = encodeCanonical({ ref: "r" });
    const [{ signature } = {}] = world.records("effect_receipt");
    expect(seen).toEqual({
      $tag: "Receipt",
      $value: {
        origin_module_id: "shop/order@1",
        origin_workflow_hash: intent.machineHash,
        origin_instance_key: encodeCanonical("1"),
        intent_id: `sha256:${intent.id}`,
        effect: "http/book@1",
        effect_hash: intent.effectHash,
        executor_module: "http",
        executor_module_hash: contentHash("http"),
        executor_entrypoint: "book",
        params_hash: hashText(encodeCanonical({ id: "1" })),
        issuer_ref: "book",
        receipt_payload: payload,
        payload: { ref: "r" },
        status: "ok",
        emitted_at_seq: intent.emittedAtSeq,
        cost_cents: 7,
        signature: (signature as { bytes: Uint8Array }).bytes,
      },
    });
    expect(log(world)).toEqual(["book", "receipt ok of book"]);
  });

  test("[M.V-4] [M.K7.8-1] its record has all that it came with, and a stamp", () => {
    const world = orders();
    say(world, "book");
    const intent = world.firstOpen();
    world.nowNs = 77n;
    world.settle(intent, "ok", { ref: "r" });
    expect(world.records("effect_receipt")).toMatchObject([
      {
        outside: true,
        intent_hash: intent.hash,
        machine: "shop/order@1",
        key: encodeCanonical("1"),
        status: "ok",
        payload: encodeCanonical({ ref: "r" }),
        cost_cents: 7,
        accepted: true,
        signature: { key_id: keyOf("http"), path: [] },
        stamp: { now_ns: 77, logical_now_ns: 1_000, journal_height: 5 },
      },
    ]);
    expect(world.records("effect_intent")).toMatchObject([
      { machine: "shop/order@1", key: encodeCanonical("1"), emitted_at_seq: 2 },
    ]);
  });

  test("[M.V-6] error and timeout have the error's schema, skipped has nothing to say", () => {
    const world = orders();
    const answers: [string, "error" | "timeout" | "skipped", unknown][] = [
      ["look", "error", { code: "503", message: "away" }],
      ["look", "timeout", { code: "timeout", message: "" }],
      ["book", "skipped", null],
    ];
    for (const [word, status, payload] of answers) {
      say(world, word);
      expect(outcomeOf(world.settle(world.firstOpen(), status, payload as never))).toBe("taken");
    }
    say(world, "book");
    expect(outcomeOf(world.settle(world.firstOpen(), "error", { ref: "r" }))).toBe("rejected");
    say(world, "book");
    expect(outcomeOf(world.settle(world.firstOpen(), "skipped", { ref: "r" }))).toBe("rejected");
  });

  test("[M.R-7] [M.R-8] a second one is ignored on record, a stranger's refused", () => {
    const world = orders();
    say(world, "twice");
    const [first, second] = world.open();
    if (!first || !second) throw new Error("two are open");
    const receipt = world.receipt(second, "ok", { ref: "r" });
    expect(outcomeOf(world.one(receipt))).toBe("taken");
    const state = world.state("order", "1");
    expect(outcomeOf(world.one(receipt))).toBe("ignored");
    expect(outcomeOf(world.settle(second, "error", { code: "a", message: "b" }))).toBe("ignored");
    expect(world.state("order", "1")).toEqual(state);
    const count = world.journal.length;
    const stranger = { ...receipt, intentHash: new Uint8Array(32) };
    expect(outcomeOf(world.one(stranger))).toBe("receipt.unknown");
    expect(world.journal).toHaveLength(count);
    expect(outcomeOf(world.settle(first, "ok", { ref: "r" }))).toBe("taken");
    expect(world.records("workflow.receipt_ignored")).toMatchObject([
      { intent_hash: second.hash, reason: "receipt.settled", machine: "shop/order@1" },
      { intent_hash: second.hash },
    ]);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.R-7] settled intents are remembered through a snapshot, however many there were", () => {
    const world = orders();
    for (let at = 0; at < 600; at++) say(world, "book", `${at}`);
    const all = world.open().map((intent) => world.receipt(intent, "ok", { ref: "r" }));
    world.give(all);
    world.kernel = world.restored();
    expect(world.give(all).answers.map(outcomeOf)).toEqual(all.map(() => "ignored"));
  });

  test("[M.V-5] [M.V-12] [M.R-9] only the executor's signature over exactly this counts", () => {
    const world = orders();
    say(world, "book");
    const intent = world.firstOpen();
    world.keys.add("stranger", "mail");
    const good = world.receipt(intent, "ok", { ref: "r" });
    const other = world.receipt(intent, "ok", { ref: "another" });
    const forged: [Partial<ReceiptInput>, string][] = [
      [{ payload: encodeCanonical({ ref: "s" }) }, "receipt.signature_wrong"],
      [{ status: "skipped", payload: encodeCanonical(null) }, "receipt.signature_wrong"],
      [{ costCents: 8n }, "receipt.signature_wrong"],
      [{ moduleHash: contentHash("other code") }, "receipt.signature_wrong"],
      [{ signature: other.signature }, "receipt.signature_wrong"],
      [{ signature: { ...good.signature, bytes: new Uint8Array(64) } }, "receipt.signature_wrong"],
      [
        { signature: { ...good.signature, path: [{ side: "left", hash: new Uint8Array(32) }] } },
        "receipt.signature_wrong",
      ],
      [{ signature: { ...good.signature, keyId: "nobody" } }, "receipt.key_unknown"],
      [
        { signature: world.receipt(intent, "ok", { ref: "r" }, "stranger").signature },
        "receipt.key_of_another",
      ],
    ];
    const state = world.state("order", "1");
    for (const [change] of forged) {
      expect(outcomeOf(world.one({ ...good, ...change }))).toBe("turned_away");
    }
    expect(world.records("workflow.receipt_refused").map(({ reason }) => reason)).toEqual(
      forged.map(([, reason]) => reason),
    );
    expect(world.records("effect_receipt").map(({ accepted }) => accepted)).not.toContain(true);
    expect(world.state("order", "1")).toEqual(state);
    expect(world.status("order", "1")).toBe("waiting");
    expect(outcomeOf(world.one(good))).toBe("taken");
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.V-5] what is signed is for one intent and one status, and serves no other", () => {
    const world = orders();
    say(world, "twice");
    const [first, second] = world.open();
    if (!first || !second) throw new Error("two are open");
    const good = world.receipt(first, "ok", { ref: "r" });
    const error = world.receipt(first, "error", { code: "a", message: "b" });
    for (const forged of [
      { ...good, intentHash: second.hash },
      { ...error, status: "ok" as const },
      { ...good, status: "error" as const },
    ]) {
      expect(outcomeOf(world.one(forged))).toBe("turned_away");
    }
    expect(world.records("workflow.receipt_refused").map(({ reason }) => reason)).toEqual(
      Array(3).fill("receipt.signature_wrong"),
    );
    expect(world.open()).toEqual([first, second]);
    expect(outcomeOf(world.one(good))).toBe("taken");
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test.each<Partial<ReceiptStatement>>([
    { intentHash: new Uint8Array(32).fill(1) },
    { status: "error" },
    { payload: encodeCanonical({ ref: "s" }) },
    { costCents: null },
    { module: "mail" },
    { moduleHash: contentHash("other code") },
    { entrypoint: "look" },
  ])("[M.V-5] is signed over with everything that it says: %o", (change) => {
    const statement: ReceiptStatement = {
      intentHash: new Uint8Array(32),
      status: "ok",
      payload: encodeCanonical({ ref: "r" }),
      costCents: 7n,
      module: "http",
      moduleHash: contentHash("http"),
      entrypoint: "book",
    };
    expect(hex(receiptLeaf({ ...statement, ...change }))).not.toBe(hex(receiptLeaf(statement)));
  });

  test("[M.V-12] a key may be replaced, and replay verifies each with its own", () => {
    const world = orders();
    say(world, "book");
    world.settle(world.firstOpen(), "ok", { ref: "r" });
    world.keys.add("http 2", "http");
    say(world, "book");
    const receipt = world.receipt(world.firstOpen(), "ok", { ref: "r" }, "http 2");
    expect(outcomeOf(world.one(receipt))).toBe("taken");
    expect(
      world
        .records("effect_receipt")
        .map(({ signature }) => (signature as { key_id: string }).key_id),
    ).toEqual([keyOf("http"), "http 2"]);
    expect(world.whyReplayDiffers()).toBeNull();
    // Whoever forges the journal needs the executor's key as well.
    world.keys.add("http 2", "http");
    const replayed = world.replay();
    expect(replayed.ok ? null : replayed.divergence).toMatchObject({
      code: "record.differs",
      seq: 10,
    });
  });

  test("[M.V-12] the host's own word counts for every executor, and is known as the host's", () => {
    const world = orders();
    say(world, "book");
    world.keys.add("host", hostWord);
    const receipt = world.receipt(world.firstOpen(), "ok", { ref: "r" }, "host");
    expect(outcomeOf(world.one(receipt))).toBe("taken");
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("a timeout says nothing of a mutation: it is turned away, and the intent stays open", () => {
    const world = orders();
    say(world, "book");
    const timeout = { code: "timeout", message: "" };
    expect(outcomeOf(world.settle(world.firstOpen(), "timeout", timeout))).toBe("turned_away");
    expect(world.records("workflow.receipt_refused")).toMatchObject([
      { reason: "receipt.timeout_of_mutation" },
    ]);
    expect(world.open()).toHaveLength(1);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.R-1] goes to the cell that asked, whatever is subscribed to by now", () => {
    const world = orders();
    say(world, "book");
    const intent = world.firstOpen();
    const next = setOf(orderSet({ subscribe: [] }));
    world.addSet(next);
    expect(outcomeOf(world.one({ kind: "manifest", set: next }))).toBe("taken");
    expect(outcomeOf(world.settle(intent, "ok", { ref: "r" }))).toBe("taken");
    expect(log(world)).toEqual(["book", "receipt ok of book"]);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("[M.C-10] after an upgrade what fits is delivered, the rest is a fault", () => {
    const upgraded = (receipt: ReturnType<typeof record>) => {
      const world = orders();
      say(world, "book");
      const intent = world.firstOpen();
      const effects = [
        effectOf("http/book@1", { receipt }),
        effectOf("http/look@1", { kind: "read" }),
      ];
      const set = setOf({ ...orderSet(), effects });
      world.addSet(set);
      world.one({ kind: "manifest", set });
      world.settle(intent, "ok", { ref: "r" });
      expect(world.whyReplayDiffers()).toBeNull();
      return log(world)?.at(-1);
    };
    expect(upgraded(record({ ref: text, more: option(text) }))).toBe("receipt ok of book");
    expect(upgraded(record({ other: text }))).toBe("rejected receipt.invalid_payload");
  });
});
