import { describe, expect, test } from "vitest";
import { type CanonicalRecord, decodeCanonical, encodeCanonical } from "../canonical/index.ts";
import { joinFrame } from "./frame.ts";
import { hex } from "./hex.ts";
import { openWork } from "./open-work.ts";
import { serve } from "./serve.ts";
import { openSnapshot } from "./snapshot.ts";
import { MachineWorld } from "./testing/machine-world.ts";
import { orderStep } from "./testing/order-step.ts";
import { machineOf, orderSet, receiptArm, ref, text, variant } from "./testing/sample-set.ts";

const orders = () => new MachineWorld({ declaration: orderSet(), steps: { order: orderStep } });
const say = (world: MachineWorld, id: string, ...words: readonly string[]) => {
  for (const word of words) world.send("order.placed", { id, say: word });
};

/** A history with something of everything. */
function lived(): MachineWorld {
  const world = orders();
  say(world, "a", "1", "twice", "tell");
  const [first, second] = world.open();
  if (first === undefined || second === undefined) throw new Error("two are open");
  world.one(world.frame(first, 2, "x"));
  world.settle(first, "ok", { ref: "r" });
  world.settle(first, "ok", { ref: "r" });
  say(world, "b", "throw", "2");
  world.one(world.receipt(second, "ok", { nonsense: true }));
  say(world, "b", "3");
  world.steps = { order: "killed" };
  say(world, "c", "1");
  world.steps = { order: orderStep };
  say(world, "a", "book");
  return world;
}

function whereItDiffers(world: MachineWorld, journal: readonly Uint8Array[]): unknown {
  const replayed = world.replay({ journal });
  return replayed.ok ? "same" : [replayed.divergence.code, replayed.divergence.seq];
}

describe("replay", () => {
  test("[M.C-12] ends at the same bytes, from wherever it starts", () => {
    const world = lived();
    expect(world.whyReplayDiffers()).toBeNull();
    const live = hex(world.snapshot());
    let placesCount = 0;
    for (let upTo = 1; upTo < world.journal.length; upTo++) {
      const part = world.replay({ upTo });
      if (!part.ok) {
        // Only a cut through what one input or step wrote may be found.
        expect(part.divergence.code).toBe("journal.cut");
        continue;
      }
      placesCount++;
      const rest = world.replay({ from: world.restored(part.kernel) });
      expect(rest.ok && hex(world.snapshot(rest.kernel))).toBe(live);
    }
    expect(placesCount).toBeGreaterThan(15);
  });

  test("[M.C-12] every record and snapshot is canonical, and hashes are bytes in it", () => {
    const world = lived();
    for (const bytes of [...world.journal, world.snapshot()]) {
      expect(encodeCanonical(decodeCanonical(bytes))).toEqual(bytes);
    }
    for (const record of world.records()) {
      for (const [name, value] of Object.entries(record)) {
        if (name.endsWith("_hash") && value !== null) expect(value).toHaveLength(32);
      }
    }
  });

  test("[M.C-12] lists that have no order of their own are sorted in a snapshot", () => {
    const world = orders();
    say(world, "a", "twice", "twice", "twice");
    const open = [...(world.kernel.cells.get(world.cellId("order", "a"))?.open ?? [])];
    expect(open).not.toEqual(open.toSorted());
    const { cells, intents } = decodeCanonical(world.snapshot()) as unknown as {
      readonly cells: readonly { readonly open: readonly string[] }[];
      readonly intents: readonly { readonly intent_hash: Uint8Array }[];
    };
    expect(cells.map((cell) => cell.open)).toEqual([open.toSorted()]);
    expect(intents.map(({ intent_hash: hash }) => hex(hash))).toEqual(open.toSorted());
  });

  test("[M.K7.8-1] every record about a cell says which machine and key it is of", () => {
    const world = lived();
    const key = encodeCanonical("b");
    world.one({ kind: "cancel", intentHash: world.firstOpen().hash, actor: "ada" });
    world.one({ kind: "restart", machine: "shop/order@1", key, poison: "drop", actor: "ada" });
    world.one({ ...world.receipt(world.firstOpen(), "ok", { ref: "r" }), costCents: 8n });
    const keys = ["a", "b", "c"].map((id) => hex(encodeCanonical(id)));
    const names = new Set<unknown>();
    for (const { kind, name, identity, targets, ...fields } of world.records()) {
      if (kind === "manifest") continue;
      names.add(name ?? kind);
      const cells = kind === "domain_event" ? targets : [identity ?? fields];
      for (const cell of cells as readonly { machine: unknown; key: Uint8Array }[]) {
        const isKnown = cell.key instanceof Uint8Array && keys.includes(hex(cell.key));
        expect([name ?? kind, cell.machine, isKnown]).toEqual([name ?? kind, "shop/order@1", true]);
      }
    }
    const kinds = ["step", "effect_intent", "effect_receipt", "stream_frame", "step_killed"];
    const said = [
      "step_fault",
      "receipt_fault",
      "receipt_ignored",
      "receipt_refused",
      "stream_gap",
    ];
    const all = [...kinds, "cancel", "restart", ...said.map((each) => `workflow.${each}`)];
    expect([...names]).toEqual(expect.arrayContaining(all));
  });

  test("[M.K7.4-2] gives turns in the journal's order, across batches", () => {
    const world = orders();
    const event = (id: string, word: string) => world.event("order.placed", { id, say: word });
    world.give([event("a", "1"), event("a", "2"), event("b", "3")], 1);
    world.give([event("c", "4")], 1);
    world.give([event("a", "5")]);
    const turns = world.records("step").map(({ key }) => decodeCanonical(key as Uint8Array));
    expect(turns).toEqual(["a", "b", "a", "c", "a"]);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("stops at the first record that is not there, stands twice or was changed", () => {
    const world = lived();
    const { journal } = world;
    expect(whereItDiffers(world, journal)).toBe("same");
    expect(whereItDiffers(world, journal.toSpliced(6, 1))).toEqual(["record.differs", 7]);
    expect(whereItDiffers(world, journal.slice(1))).toEqual(["journal.gap", 1]);
    expect(whereItDiffers(world, journal.toSpliced(1, 1))).toEqual(["journal.gap", 2]);
    const twice = [...journal, ...journal.slice(-1)];
    expect(whereItDiffers(world, twice)).toEqual(["journal.gap", twice.length]);
    expect(whereItDiffers(world, journal.toSpliced(3, 1, Uint8Array.of(1)))).toEqual([
      "journal.unreadable",
      4,
    ]);
  });

  test("a derived record that cannot be read is that, and no other step", () => {
    const world = lived();
    const { journal } = world;
    const longer = (record: Uint8Array | undefined) => Uint8Array.of(...(record ?? []), 0);
    const isStep = (record: Uint8Array) =>
      (decodeCanonical(record) as CanonicalRecord)["kind"] === "step";
    const at = journal.findIndex(isStep);
    const altered = journal.with(at, longer(journal[at]));
    expect(whereItDiffers(world, altered)).toEqual(["journal.unreadable", at + 1]);
    const fields = decodeCanonical(journal[at] ?? new Uint8Array()) as CanonicalRecord;
    const next = longer(encodeCanonical({ ...fields, seq: journal.length + 1 }));
    expect(whereItDiffers(world, [...journal, next])).toEqual([
      "journal.unreadable",
      journal.length + 1,
    ]);
  });

  test("finds every single record that is not what the inputs and steps make", () => {
    const world = lived();
    world.journal.forEach((bytes, at) => {
      const record = decodeCanonical(bytes) as CanonicalRecord;
      const changed = encodeCanonical({ ...record, extra: 1 });
      expect(whereItDiffers(world, world.journal.toSpliced(at, 1, changed))).not.toBe("same");
      if (record["outside"] !== false) return;
      const found = whereItDiffers(world, world.journal.toSpliced(at, 1, changed));
      expect(found).toEqual([expect.stringMatching(/record.differs|turn.none/), at + 1]);
    });
  });

  test("[M.C-11] finds a step that would now say something else, at the step", () => {
    const world = orders();
    say(world, "a", "1", "2");
    world.steps = { order: () => ({ state: { log: ["another"] } }) };
    const replayed = world.replay();
    expect(replayed.ok ? null : replayed.divergence).toMatchObject({
      code: "record.differs",
      seq: 3,
    });
  });

  test("a recorded step with nobody's turn, and an outside record that would not be taken", () => {
    const world = orders();
    say(world, "a", "1");
    const fields = decodeCanonical(world.journal.at(-1) ?? new Uint8Array()) as CanonicalRecord;
    const again = encodeCanonical({ ...fields, seq: 4 });
    expect(whereItDiffers(world, [...world.journal, again])).toEqual(["turn.none", 4]);
    const event = decodeCanonical(world.journal[1] ?? new Uint8Array()) as CanonicalRecord;
    const gone = encodeCanonical({ ...event, seq: 4, topic: "order.gone" });
    expect(whereItDiffers(world, [...world.journal, gone])).toEqual(["input.refused", 4]);
    const odd = encodeCanonical({ ...event, seq: 4, kind: "wish" });
    expect(whereItDiffers(world, [...world.journal, odd])).toEqual(["journal.unreadable", 4]);
  });

  test("a step that was killed is not run again: the record says that it was", () => {
    const world = new MachineWorld({ declaration: orderSet(), steps: { order: "killed" } });
    say(world, "a", "1");
    const before = world.stepCount;
    expect(world.replay().ok).toBe(true);
    expect(world.stepCount).toBe(before);
  });

  test("[M.C-15] intents of a machine woken by another machine have the same hashes", () => {
    const world = new MachineWorld({
      declaration: {
        ...orderSet(),
        machines: [
          machineOf({
            name: "a",
            event: ref("order.placed"),
            subscribe: [{ topic: "order.placed", key: null }],
          }),
          machineOf({
            name: "b",
            event: variant({ Booked: ref("order.booked"), ...receiptArm }),
            key: text,
            effects: ["http/book@1"],
            subscribe: [{ topic: "order.booked", key: "id" }],
          }),
        ],
      },
      steps: {
        a: () => ({
          state: { log: [] },
          events: [{ topic: "order.booked", payload: { id: "1" } }],
        }),
        b: () => ({
          state: { log: [] },
          effects: [{ effect: "http/book@1", params: { id: "1" } }],
        }),
      },
    });
    say(world, "x", "go");
    const replayed = world.replay();
    expect(replayed.ok).toBe(true);
    expect(openWork(replayed.kernel)).toEqual(openWork(world.kernel));
    expect(openWork(replayed.kernel)).toHaveLength(1);
    expect(replayed.kernel.flushed(replayed.kernel.seq)).toEqual([]);
    expect(world.whyReplayDiffers()).toBeNull();
  });
});

describe("frames and what they order", () => {
  test("[M.P-1] nothing is given out before the records that order it are durable", () => {
    const world = orders();
    const { kernel } = world;
    const given = (id: string) => {
      return { input: world.event("order.placed", { id, say: "book" }), sample: world.sample() };
    };
    const first = drain(serve(kernel, [given("a")], { turnsMax: 9 }));
    const second = drain(serve(kernel, [given("b")], { turnsMax: 9 }));
    expect(kernel.flushed(1)).toEqual([]);
    expect(kernel.flushed((first.frame?.lastSeq ?? 0) - 1)).toEqual([]);
    expect(kernel.flushed(first.frame?.lastSeq ?? 0)).toMatchObject([{ kind: "start" }]);
    expect(kernel.flushed(first.frame?.lastSeq ?? 0)).toEqual([]);
    expect(kernel.flushed(second.frame?.lastSeq ?? 0)).toMatchObject([{ kind: "start" }]);
    expect(() => kernel.flushed(99)).toThrow("was not written");
  });

  function drain<T>(run: Generator<unknown, T, never>): T {
    let next = run.next();
    const effects = [{ effect: "http/book@1", params: encodeCanonical({ id: "1" }) }].map(
      (each) => {
        return { ...each, requestedKey: null, issuerRef: null, deadlineNs: null };
      },
    );
    const output = { state: encodeCanonical({ log: [] }), events: [], effects, done: false };
    while (!next.done) {
      next = run.next({ kind: "output", output: { ...output, annotations: null } } as never);
    }
    return next.value;
  }

  test("[M.P-2] a frame fits directly behind the last one; gaps and overlaps are refused", () => {
    const record = Uint8Array.of(1);
    const frame = (firstSeq: number, count: number) => ({
      formatVersion: 1 as const,
      firstSeq,
      lastSeq: firstSeq + count - 1,
      records: Array.from({ length: count }, () => record),
    });
    expect(joinFrame(0, frame(1, 3))).toEqual({ ok: true, head: 3 });
    expect(joinFrame(3, frame(4, 1))).toEqual({ ok: true, head: 4 });
    expect(joinFrame(3, frame(5, 1))).toEqual({ ok: false, code: "frame.gap" });
    expect(joinFrame(3, frame(3, 2))).toEqual({ ok: false, code: "frame.overlap" });
    expect(joinFrame(3, frame(4, 0))).toEqual({ ok: false, code: "frame.malformed" });
    expect(joinFrame(3, { ...frame(4, 2), lastSeq: 6 }).ok).toBe(false);
    const world = lived();
    expect(world.kernel.takeFrame()).toBeNull();
  });

  test("[M.P-3] after a flush that failed the inputs do the same again", () => {
    const world = orders();
    say(world, "a", "book");
    const durable = [...world.journal];
    const receipt = world.receipt(world.firstOpen(), "ok", { ref: "r" });
    const sample = world.sample();
    world.sample = () => sample;
    world.one(receipt);
    const lost = world.journal.splice(durable.length);
    const published = world.published.splice(0);
    const reopened = world.replay();
    expect(reopened.ok).toBe(true);
    world.kernel = reopened.kernel;
    expect(world.open()).toHaveLength(1);
    world.one(receipt);
    expect(world.journal.slice(durable.length)).toEqual(lost);
    expect(published.map(({ kind }) => kind)).toEqual(["start"]);
    expect(world.published).toEqual([]);
  });
});

describe("snapshots", () => {
  test("[M.C-12] [M.K7.5-3] do not depend on the way: histories that end alike have one", () => {
    const [one, two] = [orders(), orders()];
    for (const id of ["a", "b", "c", "a", "b", "c"]) say(one, id, "1");
    for (const id of ["c", "b", "a", "a", "b", "c"]) say(two, id, "1");
    expect(one.journal).not.toEqual(two.journal);
    expect(hex(one.snapshot())).toBe(hex(two.snapshot()));
  });

  test("[M.I-4] hold mailboxes, turns, failures, cursors, wishes and what is settled", () => {
    const world = lived();
    const { hash: intentHash } = world.firstOpen();
    world.one({ kind: "cancel", intentHash, actor: "ada" });
    const event = (id: string) => world.event("order.placed", { id, say: "x" });
    world.give([event("y"), event("x"), event("y")], 1);
    const bytes = world.snapshot();
    const restored = world.restored();
    expect(hex(world.snapshot(restored))).toBe(hex(bytes));
    expect([...restored.ring]).toEqual([...world.kernel.ring]);
    expect(restored.openPerEffect).toEqual(world.kernel.openPerEffect);
    world.kernel = restored;
    world.give([]);
    expect(world.whyReplayDiffers()).toBeNull();
  });

  test("are refused for another version of the workflow, and when they are none", () => {
    const world = orders();
    const other = new MachineWorld({ declaration: orderSet({ effects: [] }), steps: {} });
    const options = { set: other.kernel.set, keys: world.keys };
    const open = (bytes: Uint8Array) => () => world.drive(openSnapshot(bytes, options));
    expect(open(world.snapshot())).toThrow("snapshot.lineage");
    expect(open(encodeCanonical({}))).toThrow("snapshot.malformed");
  });
});
