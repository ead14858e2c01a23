/** Random histories: what is followed with little in hand is what the whole journal says. */
import { contentHash, decodeCanonical } from "@holdfast/core";
import type { CanonicalRecord, Schema } from "@holdfast/core/canonical";
import { cellIdOf, hex, type Input, type OpenIntent } from "@holdfast/core/machine";
import { MachineWorld } from "@holdfast/core/machine/testing";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FollowedTrace } from "./follow-trace.ts";
import type { RecordFields } from "./show-records.ts";

const scale = Number(process.env["HOLDFAST_FUZZ_SCALE"] ?? 1);

const text: Schema = { type: "text" };
const record = (fields: { [name: string]: Schema }): Schema => ({ type: "record", fields });
const ref = (name: string): Schema => ({ type: "ref", name });
const executor = { module: "http", moduleHash: contentHash("http"), entrypoint: "book" };
const arms = {
  Placed: ref("order.placed"),
  Receipt: ref("sys/EffectReceiptEnvelope@1"),
  Frame: ref("sys/EffectStreamFrame@1"),
};

type Event = { readonly $tag: string; readonly $value: Readonly<Record<string, string>> };
type State = { readonly last: string } | null;
const book = { effect: "http/book@1", params: { id: "x" } };

/** What each answer tells one more cell, after which it is asked for anew. */
const endless: Readonly<Record<string, string>> = { again: "done", spread: "a" };

/** Does what the event says. */
function step(state: State, { $tag, $value }: Event) {
  const say = $tag === "Placed" ? ($value["say"] ?? "") : (state?.last ?? "");
  const next = { last: say };
  if ($tag === "Frame") return { state: next };
  const tell = (id: string, word: string) => {
    return { topic: "order.placed", payload: { id, say: word } };
  };
  if ($tag === "Receipt") {
    const word = endless[say];
    if (word === undefined) return { state: next };
    return { state: next, effects: [book], events: [tell($value["intent_id"] ?? "", word)] };
  }
  switch (say) {
    case "again":
    case "spread":
    case "book":
      return { state: next, effects: [book] };
    case "many":
      return { state: next, effects: [book, book, book, book] };
    case "tell":
      return { state: next, events: [tell("1", "book"), tell("2", "a"), tell("2", "end")] };
    case "throw":
      throw new Error("as told");
    case "end":
      return { state: null };
    case "done":
      return { state: next, done: true };
    default:
      return { state: next };
  }
}

function newWorld(taken: { [arm: string]: Schema } = arms): MachineWorld {
  const event: Schema = { type: "variant", arms: taken };
  const order = {
    name: "order",
    state: record({ last: text }),
    event,
    key: text as Schema | null,
    context: false,
    annotations: null,
    version: 1,
    effects: ["http/book@1"],
    subscribe: [{ topic: "order.placed", key: "id" as string | null }],
  };
  const subscribe = [{ topic: "order.placed", key: null }];
  const http = { name: "http/book@1", kind: "mutation", params: record({ id: text }) } as const;
  return new MachineWorld({
    declaration: {
      topics: [{ name: "order.placed", schema: record({ id: text, say: text }) }],
      // Each event comes to two cells.
      machines: [order, { ...order, name: "once", key: null, subscribe }],
      effects: [{ ...http, receipt: record({ ref: text }), error: null, executor }],
    },
    steps: {
      order: step as never,
      once: ((_: State, { $tag }: Event) => ({ state: { last: $tag } })) as never,
    },
    limits: { openIntentsPerCellMax: 3, openIntentsMax: 8 },
  });
}

/** The plain way: the root of every record, and of every intent there ever was. */
function rootsOf(records: readonly CanonicalRecord[]): ReadonlyMap<number, number> {
  const roots = new Map<number, number>();
  const intents = new Map<string, number>();
  for (const { seq, kind, cause, intent_hash: intent } of records) {
    const id = intent instanceof Uint8Array ? hex(intent) : "";
    const before = typeof cause === "number" ? roots.get(cause) : intents.get(id);
    const root = before ?? Number(seq);
    roots.set(Number(seq), root);
    if (kind === "effect_intent") intents.set(id, root);
  }
  return roots;
}

function follow(world: MachineWorld, root: number, limits = {}): FollowedTrace {
  const few = { window: 10_000, idleCellsMax: 1, endedMax: 10_000, ...limits };
  const trace = new FollowedTrace(root, few);
  for (const fields of world.records().slice(root - 1)) {
    trace.add(Number(fields["seq"]), fields as RecordFields);
  }
  return trace;
}

const say = fc.constantFrom(
  "a",
  "again",
  "spread",
  "book",
  "many",
  "tell",
  "throw",
  "end",
  "done",
  "kill",
);
const id = fc.constantFrom("1", "2", "3");
const at = fc.nat(7);
const act = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act: fc.constant("say" as const), id, say }) },
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constantFrom("ok", "ok", "error", "bad", "frame", "cancel"),
      at,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant("restart" as const), id, isDrop: fc.boolean() }),
  },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;
const batch = fc.record({ acts: fc.array(act, { maxLength: 4 }), turnsMax: fc.nat(6) });

function inputOf(world: MachineWorld, known: readonly OpenIntent[], each: Act): Input[] {
  if ("say" in each) return [world.event("order.placed", { id: each.id, say: each.say })];
  if ("isDrop" in each) {
    const key = world.kernel.cells.get(world.cellId("order", each.id))?.key ?? null;
    const poison = each.isDrop ? "drop" : "redeliver";
    return [{ kind: "restart", machine: "shop/order@1", key, poison, actor: "a" }];
  }
  const intent = known[each.at % Math.max(1, known.length)];
  if (intent === undefined) return [];
  if (each.act === "frame") return [world.frame(intent, each.at + 1, "x")];
  if (each.act === "cancel") return [{ kind: "cancel", intentHash: intent.hash, actor: "a" }];
  if (each.act === "error") return [world.receipt(intent, "error", { code: "x", message: "y" })];
  return [world.receipt(intent, "ok", each.act === "bad" ? { nonsense: 1 } : { ref: "r" })];
}

function live(world: MachineWorld, batches: readonly { acts: Act[]; turnsMax: number }[]): void {
  const known: OpenIntent[] = [];
  for (const { acts, turnsMax } of batches) {
    const { steps } = world;
    const isKilled = acts.some((each) => "say" in each && each.say === "kill");
    if (isKilled) world.steps = { ...steps, order: "killed" };
    world.give(
      acts.flatMap((each) => inputOf(world, known, each)),
      turnsMax,
    );
    world.steps = steps;
    for (const publication of world.published.splice(0)) {
      if (publication.kind === "start") known.push(publication.intent);
    }
  }
}

/** Number of the record that each thing which waits for a cell came with. */
function waitingIn({ kernel }: MachineWorld, root: number): string[] {
  return [...kernel.cells.values()].flatMap(({ id: cell, mailbox }) =>
    mailbox
      .entries()
      .flatMap((mail) => (mail.root === root ? [`${cell} ${mail.stamp.height}`] : [])),
  );
}

/** Cells that one of these records stopped with an answer, and that nobody let go on since. */
function stoppedIn(records: readonly CanonicalRecord[], own: readonly number[]) {
  const stopped = new Set<string>();
  for (const { seq, kind, workflow_failed: isFailed, machine, key } of records) {
    const cellId = cellIdOf(String(machine), key instanceof Uint8Array ? key : null);
    if (kind === "restart") stopped.delete(cellId);
    if (isFailed === true && own.includes(Number(seq))) stopped.add(cellId);
  }
  return stopped;
}

describe("what is held of a journal that is followed", () => {
  test("[M.K7.8-4] says what the whole of it says, whatever happened", () => {
    const kinds = new Set<string>();
    fc.assert(
      fc.property(fc.array(batch, { minLength: 3, maxLength: 14 }), fc.boolean(), (given, few) => {
        const { Frame: _, ...noFrames } = arms;
        const { Receipt: __, ...deaf } = noFrames;
        const world = newWorld(few ? deaf : arms);
        live(world, given);
        const records = world.records();
        for (const { kind, name } of records) kinds.add(String(name ?? kind));
        const roots = rootsOf(records);
        for (const root of new Set(roots.values())) {
          const trace = follow(world, root);
          const own = [...roots].flatMap(([seq, of]) => (of === root ? [seq] : []));
          expect(trace.window.map(({ seq }) => seq)).toEqual(own);
          const open = [...world.kernel.intents.values()].filter((each) => each.root === root);
          expect([...trace.intents.keys()].sort()).toEqual(open.map((each) => each.id).sort());
          const awaited = [...trace.awaited].flatMap(([seq, cells]) =>
            [...cells].map((cell) => `${cell} ${seq}`),
          );
          expect(awaited.sort()).toEqual(waitingIn(world, root).sort());
          const cells = new Set(trace.cells.map(({ machine, key }) => cellIdOf(machine, key)));
          for (const { cellId } of open) expect(cells).toContain(cellId);
          for (const cellId of stoppedIn(records, own)) expect(cells).toContain(cellId);
        }
      }),
      { numRuns: Math.ceil(200 * scale) },
    );
    for (const kind of [
      ...["stream_frame", "cancel", "restart", "step_killed", "workflow.step_fault"],
      ...["workflow.receipt_fault", "workflow.receipt_ignored", "workflow.over_capacity"],
      ...["workflow.stream_drop"],
    ]) {
      expect(kinds).toContain(kind);
    }
  });

  /** Whether a cell that nobody holds any more was left without an end. */
  const cases = [
    ["again", false],
    ["spread", true],
  ] as const;
  test.each(cases)("[M.K7.8-4] is the window and what is under way: %s", (word, isLeftUndone) => {
    const world = newWorld();
    world.send("order.placed", { id: "1", say: word });
    const root = Number(world.records("domain_event")[0]?.["seq"]);
    const trace = new FollowedTrace(root, { window: 20, idleCellsMax: 5, endedMax: 10 });
    const held: number[] = [];
    let read = root - 1;
    for (let round = 0; round < 500; round++) {
      world.settle(world.firstOpen(), "ok", { ref: "r" });
      world.send("order.placed", { id: `of another ${round}`, say: "done" });
      for (const bytes of world.journal.slice(read)) {
        trace.add(++read, decodeCanonical(bytes) as RecordFields);
      }
      held.push(trace.heldCount);
    }
    expect(trace.count).toBeGreaterThan(1_500);
    expect(trace.window).toHaveLength(20);
    expect(trace.isLeftUndone).toBe(isLeftUndone);
    // However long it goes on.
    expect(Math.max(...held.slice(50))).toBeLessThanOrEqual(Math.max(...held.slice(0, 50)));
  });
});
