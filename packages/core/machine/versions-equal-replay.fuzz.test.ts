/**
 * Random histories across versions, with and without a function for states, with snapshots taken
 * and parts collected anywhere: the journal alone, and every snapshot that is kept with what came
 * after it, lead to the bytes that are there.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Schema } from "../canonical/index.ts";
import { hex } from "./hex.ts";
import type { Input } from "./input.ts";
import type { OpenIntent } from "./intent.ts";
import type { MachineSet } from "./machine-set.ts";
import { openSnapshot } from "./snapshot.ts";
import { forgetPieces } from "./state/next-snapshot.ts";
import { putAway } from "./state/resident-cells.ts";
import { applyInTest, type Migrate } from "./testing/apply-in-test.ts";
import { MachineWorld, type StepFunction, setOf } from "./testing/machine-world.ts";
import { orderStep } from "./testing/order-step.ts";
import { nat, option, orderSet, record, text } from "./testing/sample-set.ts";
import { walkSnapshots } from "./walk-snapshots.ts";

const scale = Number(process.env["HOLDFAST_FUZZ_SCALE"] ?? 1);

const log: Schema = { type: "list", item: text };

type Version = {
  readonly state: Schema;
  readonly step: StepFunction;
  readonly migrate: Migrate | null;
};

type Logged = { readonly log: readonly string[] };

const counted = ((...given: Parameters<typeof orderStep>) => {
  const { state, ...said } = orderStep(...given);
  const { log: seen = [] } = (state ?? {}) as Partial<Logged>;
  return { ...said, state: state === null ? null : { ...Object(state), count: seen.length } };
}) as unknown as StepFunction;

/** Names of their forms; `mended` has the form of whichever is active, and other code. */
const versions = {
  plain: { state: record({ log }), step: orderStep, migrate: null },
  wide: { state: record({ log, note: option(text) }), step: orderStep, migrate: null },
  counting: {
    state: record({ log, count: nat }),
    step: counted,
    migrate: ({ state, from }) => {
      const seen = [...(state as Logged).log, `was ${String(from.key)}`];
      return { log: seen, count: seen.length };
    },
  },
  back: {
    state: record({ log, from: option(text) }),
    step: orderStep,
    migrate: ({ state }) => ({ log: (state as Logged).log.slice(-3), from: "counted" }),
  },
} as const satisfies Readonly<Record<string, Version>>;
type VersionName = keyof typeof versions;

const words = ["a", "b", "book", "look", "twice", "throw", "end", "done", "bad-state", "c"];
const id = fc.constantFrom("1", "2", "3", "4", "5");
const at = fc.nat(7);

type Act =
  | { readonly act: "say"; readonly id: string; readonly word: string }
  | { readonly act: "settle"; readonly at: number }
  | { readonly act: "restart"; readonly id: string }
  | { readonly act: "settle all" | "snapshot" | "away" | "reopen" | "mend" }
  | { readonly act: "piece"; readonly count: number }
  | { readonly act: "collect"; readonly kept: number }
  | { readonly act: "upgrade"; readonly to: VersionName; readonly isApart: boolean };

const names = Object.keys(versions) as VersionName[];
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ act: fc.constant("say" as const), id, word: fc.constantFrom(...words) }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("settle" as const), at }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("restart" as const), id }) },
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      ...(["settle all", "snapshot", "snapshot", "away", "reopen", "mend"] as const).map((each) => {
        return { act: each };
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant("piece" as const),
      count: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant("collect" as const),
      kept: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant("upgrade" as const),
      to: fc.constantFrom(...names),
      isApart: fc.boolean(),
    }),
  },
);
const history = fc.array(act, { minLength: 5, maxLength: 50 });

/** A world with what it keeps beside its journal. */
class Lived {
  readonly world = new MachineWorld({ declaration: orderSet(), steps: { order: orderStep } });
  readonly done = new Map<string, number>();
  /** Those whose parts are still there, oldest first. */
  kept: { readonly bytes: Uint8Array; readonly set: MachineSet }[] = [];
  #version: VersionName = "plain";
  #mended = 0;

  live(acts: readonly Act[]): void {
    for (const each of acts) this.#do(each);
    this.world.give([]);
  }

  #do(each: Act): void {
    const { world } = this;
    switch (each.act) {
      case "say":
        return this.#give([world.event("order.placed", { id: each.id, say: each.word })]);
      case "settle":
        return this.#give(this.#receipts().slice(each.at, each.at + 1));
      case "settle all":
        while (world.open().length > 0) this.#give(this.#receipts());
        return;
      case "restart": {
        const key = world.kernel.cells.get(world.cellId("order", each.id))?.key ?? null;
        const restart = { kind: "restart", machine: "shop/order@1", key, actor: "a" } as const;
        return this.#give([{ ...restart, poison: "drop" }]);
      }
      case "snapshot":
        this.kept.push({ bytes: world.snapshot(), set: world.kernel.set });
        return;
      case "piece":
        world.piece(each.count);
        return this.#note("piece");
      case "away":
        return putAway(world.kernel, 0);
      case "reopen":
        return this.#reopen();
      case "collect":
        return this.#collect(each.kept);
      case "mend":
        return this.#mend();
      case "upgrade":
        return this.#upgrade(each.to, each.isApart);
    }
  }

  #give(inputs: readonly Input[]): void {
    this.world.give(inputs);
  }

  #receipts(): readonly Input[] {
    return this.world
      .open()
      .map((each: OpenIntent) => this.world.receipt(each, "ok", { ref: "r" }));
  }

  /** From the last snapshot and what came after it, as after a death. */
  #reopen(): void {
    const last = this.kept.at(-1);
    if (last === undefined) return;
    this.world.kernel = this.from(last);
  }

  from({ bytes, set }: (typeof this.kept)[number]) {
    const { world } = this;
    const opened = world.drive(openSnapshot(bytes, { set, keys: world.keys, limits: {} }));
    const replayed = world.replay({ from: opened });
    if (!replayed.ok) throw new Error(`${replayed.divergence.code} at ${replayed.divergence.seq}`);
    return replayed.kernel;
  }

  /** All parts that none of the last ones names are gone; older snapshots are nothing then. */
  #collect(count: number): void {
    if (this.kept.length === 0) return;
    const { shelf } = this.world;
    // No snapshot names them yet: who lets their time of grace pass begins anew.
    forgetPieces(this.world.kernel);
    // The kernel goes on from what it took last, whatever people still hold on to.
    this.kept = this.kept.slice(-count);
    const marked = new Set<string>();
    const walk = walkSnapshots(
      this.kept.map(({ bytes }) => bytes),
      {
        node: (hash) => marked.add(hash),
        states: (all) => {
          for (const hash of all) marked.add(hash);
        },
      },
    );
    shelf.drive(walk);
    for (const hash of shelf.parts.keys()) if (!marked.has(hash)) shelf.parts.delete(hash);
    this.#note("collected");
  }

  /** The form stays: other code takes over at once. */
  #mend(): void {
    const { world } = this;
    const version = versions[this.#version];
    const set = this.#setOf(this.#version, `mended ${++this.#mended}`);
    world.addSet(set, { order: version.step });
    if (world.one({ kind: "manifest", set }).ok) this.#note("mended");
  }

  #upgrade(to: VersionName, isApart: boolean): void {
    const { world } = this;
    const { step, migrate }: Version = versions[to];
    const set = this.#setOf(to, `${to} ${++this.#mended}`);
    world.addSet(set, { order: step });
    const given = migrate === null ? { isApart } : { isApart, migrate };
    const answer = applyInTest(world, set, given);
    if (!answer.ok) return this.#note(answer.code);
    this.#note(migrate === null ? "upgraded" : "migrated");
    this.#version = to;
  }

  #setOf(name: VersionName, moduleVersion: string): MachineSet {
    const { state, migrate }: Version = versions[name];
    const declaration = orderSet({ state, migrates: migrate !== null });
    const { manifestHash } = setOf({ ...declaration, moduleVersion });
    const hash = `${manifestHash.slice(0, -8)}${String(this.#mended).padStart(8, "0")}` as const;
    return setOf({ ...declaration, moduleVersion, manifestHash: hash as typeof manifestHash });
  }

  #note(what: string): void {
    this.done.set(what, (this.done.get(what) ?? 0) + 1);
  }
}

/** Null = all ways end at the same bytes. */
function whyDifferent(lived: Lived): string | null {
  const { world } = lived;
  const kept = [...lived.kept];
  // Before the live kernel keeps anything anew.
  const tails = kept.map((each) => lived.from(each));
  const why = world.whyReplayDiffers();
  if (why !== null) return why;
  const live = hex(world.snapshot());
  const differs = tails.findIndex((kernel) => hex(world.snapshot(kernel)) !== live);
  return differs === -1 ? null : `snapshot ${differs + 1} of ${kept.length}: another end`;
}

test("[M.K7.7-4] [M.A-5] live, replay and snapshots with their tails agree across versions", () => {
  const done = new Map<string, number>();
  fc.assert(
    fc.property(history, (acts) => {
      const lived = new Lived();
      lived.live(acts);
      for (const [what, count] of lived.done) done.set(what, (done.get(what) ?? 0) + count);
      expect(whyDifferent(lived)).toBeNull();
    }),
    { numRuns: Math.ceil(2_000 * scale) },
  );
  // Histories in which nothing of this comes about would agree with themselves too.
  for (const what of [
    "upgraded",
    "migrated",
    "mended",
    "collected",
    "piece",
    "manifest.work_under_way",
  ]) {
    expect([what, done.get(what) ?? 0]).not.toEqual([what, 0]);
  }
});
