/** Random histories, run twice: whatever happens, the journal alone leads to the same bytes. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Input } from "./input.ts";
import type { OpenIntent } from "./intent.ts";
import { putAway } from "./state/resident-cells.ts";
import { MachineWorld } from "./testing/machine-world.ts";
import { orderStep } from "./testing/order-step.ts";
import { machineOf, orderSet, receiptArm, ref, text, variant } from "./testing/sample-set.ts";

const scale = Number(process.env["HOLDFAST_FUZZ_SCALE"] ?? 1);

const words = [
  ...["a", "book", "look", "twice", "tell", "throw", "end", "done", "undeclared", "bad-event"],
  ...["end-with-effect", "bad-state", "kill", "book", "twice", "tell"],
];
const id = fc.constantFrom("1", "2", "3");

type Act =
  | { readonly act: "say"; readonly id: string; readonly word: string }
  | { readonly act: "settle"; readonly at: number; readonly how: string }
  | { readonly act: "frame"; readonly at: number; readonly seq: number }
  | { readonly act: "cancel"; readonly at: number }
  | { readonly act: "restart"; readonly id: string; readonly poison: "redeliver" | "drop" }
  | { readonly act: "snapshot" }
  | { readonly act: "piece" }
  | { readonly act: "away" }
  | { readonly act: "reopen" };

const at = fc.nat(7);
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ act: fc.constant("say" as const), id, word: fc.constantFrom(...words) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant("settle" as const),
      at,
      how: fc.constantFrom("ok", "ok", "error", "bad", "forged", "timeout", "again"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("frame" as const), at, seq: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("cancel" as const), at }) },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant("restart" as const),
      id,
      poison: fc.constantFrom("redeliver" as const, "drop" as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      { act: "snapshot" } as const,
      { act: "piece" } as const,
      { act: "away" } as const,
      { act: "reopen" } as const,
    ),
  },
);
/** Inputs that come together, and how many turns they are given. */
const batch = fc.record({
  acts: fc.array(act, { maxLength: 4 }),
  turnsMax: fc.nat(6),
  pass: fc.nat(9),
});
const history = fc.array(batch, { minLength: 3, maxLength: 14 });

function inputOf(world: MachineWorld, known: readonly OpenIntent[], each: Act): Input[] {
  const intent = "at" in each ? known[each.at % Math.max(1, known.length)] : undefined;
  switch (each.act) {
    case "say":
      return [world.event("order.placed", { id: each.id, say: each.word })];
    case "restart": {
      const { poison } = each;
      const cell = world.kernel.cells.get(world.cellId("order", each.id));
      const key = cell?.key ?? null;
      return [{ kind: "restart", machine: "shop/order@1", key, poison, actor: "a" }];
    }
    case "settle":
      return intent === undefined ? [] : [receiptOf(world, intent, each.how)];
    case "frame":
      return intent === undefined ? [] : [world.frame(intent, each.seq, "x")];
    case "cancel":
      return intent === undefined ? [] : [{ kind: "cancel", intentHash: intent.hash, actor: "a" }];
    case "snapshot":
    case "piece":
    case "away":
    case "reopen":
      return [];
  }
}

function receiptOf(world: MachineWorld, intent: OpenIntent, how: string): Input {
  const failed = { code: "x", message: "y" };
  if (how === "error") return world.receipt(intent, "error", failed);
  if (how === "timeout") return world.receipt(intent, "timeout", failed);
  if (how === "bad") return world.receipt(intent, "ok", { nonsense: 1 });
  const good = world.receipt(intent, "ok", { ref: "r" });
  return how === "forged" ? { ...good, costCents: 1n } : good;
}

function newWorld(hasRejectedArm: boolean): MachineWorld {
  const set = orderSet();
  const taker = machineOf({
    name: "taker",
    event: variant({ Booked: ref("order.booked"), ...receiptArm }),
    key: text,
    effects: ["http/book@1"],
    subscribe: [{ topic: "order.booked", key: "id" }],
  });
  const few = { event: variant({ Placed: ref("order.placed"), ...receiptArm }) };
  const machines = (set.machines ?? []).map((each) =>
    hasRejectedArm ? each : { ...each, ...few },
  );
  return new MachineWorld({
    declaration: { ...set, machines: [...machines, taker] },
    steps: {
      order: orderStep,
      taker: (_state: unknown, event: { $tag: string }) => ({
        state: { log: [event.$tag] },
        effects: event.$tag === "Booked" ? [{ effect: "http/book@1", params: { id: "t" } }] : [],
      }),
    },
    limits: { openIntentsPerCellMax: 3, openIntentsMax: 8 },
  });
}

/** A step is killed by the word in its event, once: as if a clock had struck. */
function live(
  world: MachineWorld,
  batches: readonly { acts: readonly Act[]; turnsMax: number; pass: number }[],
): void {
  const known: OpenIntent[] = [];
  for (const { acts, turnsMax, pass } of batches) {
    world.nowNs += BigInt(pass) - 2n;
    const isKilled = acts.some((each) => each.act === "say" && each.word === "kill");
    const steps = world.steps;
    if (isKilled) world.steps = { ...steps, order: "killed" };
    world.give(
      acts.flatMap((each) => inputOf(world, known, each)),
      turnsMax,
    );
    world.steps = steps;
    for (const publication of world.published.splice(0)) {
      if (publication.kind === "start") known.push(publication.intent);
    }
    for (const each of acts) {
      if (each.act === "snapshot") world.snapshot();
      if (each.act === "piece") world.piece(2);
      if (each.act === "away") putAway(world.kernel, 0);
      if (each.act === "reopen") world.kernel = world.restored();
    }
  }
  world.give([]);
}

test("[M.K7.7-4] live and replay agree to the byte after any history, from the middle too", () => {
  const kinds = new Set<string>();
  fc.assert(
    fc.property(history, fc.boolean(), (batches, hasRejectedArm) => {
      const world = newWorld(hasRejectedArm);
      live(world, batches);
      for (const { kind, name } of world.records()) kinds.add(String(name ?? kind));
      expect(world.whyReplayDiffers()).toBeNull();
    }),
    { numRuns: Math.ceil(5_000 * scale) },
  );
  // A history of nothing would agree with itself too.
  for (const kind of [
    ...["domain_event", "step", "effect_intent", "effect_receipt", "stream_frame", "cancel"],
    ...["restart", "step_killed", "workflow.step_fault", "workflow.receipt_fault"],
    ...["workflow.receipt_refused", "workflow.receipt_ignored", "workflow.over_capacity"],
  ]) {
    expect(kinds).toContain(kind);
  }
});
