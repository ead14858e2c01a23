/**
 * The same inputs in another order, with other snapshots, cells put away, parts collected and the
 * version taken elsewhere: where what they say does not depend on their order, neither does what
 * is kept, to the byte.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { hex } from "./hex.ts";
import { putAway } from "./state/resident-cells.ts";
import { applyInTest } from "./testing/apply-in-test.ts";
import { MachineWorld, setOf } from "./testing/machine-world.ts";
import { nat, orderSet, record } from "./testing/sample-set.ts";

const scale = Number(process.env["HOLDFAST_FUZZ_SCALE"] ?? 1);

type Sum = { readonly sum: number } | null;
type Total = { readonly total: number } | null;
type Said = { readonly $value: { readonly say: string } };

/** Ends at a word, and begins anew with the next. */
const summing = (state: Sum, { $value: { say } }: Said) => {
  return { state: say === "end" ? null : { sum: (state?.sum ?? 0) + Number(say) } };
};
const totalling = (state: Total, { $value: { say } }: Said) => {
  return { state: say === "end" ? null : { total: (state?.total ?? 0) + Number(say) } };
};

/** More cells than a leaf takes, and in the end fewer. */
const keys = Array.from({ length: 80 }, (_, at) => `k${at}`);
const endings = keys.filter((_, at) => at % 3 === 0);

const noise = fc.constantFrom("snapshot", "piece", "away", "reopen", "");
const inputs = fc.array(fc.record({ key: fc.constantFrom(...keys), by: fc.nat(9), after: noise }), {
  minLength: 20,
  maxLength: 120,
});
type Inputs = readonly { readonly key: string; readonly by: number; readonly after: string }[];

type Places = { readonly upgradeAt: number; readonly isKeptWhole: boolean };

function live(given: Inputs, { upgradeAt, isKeptWhole }: Places): string {
  const first = orderSet({ state: record({ sum: nat }), effects: [] });
  const world = new MachineWorld({ declaration: first, steps: { order: summing as never } });
  const second = orderSet({ state: record({ total: nat }), effects: [], migrates: true });
  const set = setOf({ ...second, moduleVersion: "script-2" });
  world.addSet(set, { order: totalling as never });
  const say = (id: string, word: string) => void world.send("order.placed", { id, say: word });
  const upgrade = () => {
    const migrate = ({ state }: { state: unknown }) => ({ total: (state as { sum: number }).sum });
    expect(applyInTest(world, set, { migrate })).toMatchObject({ ok: true });
  };
  for (const [at, { key, by, after }] of given.entries()) {
    if (at === upgradeAt) upgrade();
    say(key, String(by));
    if (after === "snapshot") world.snapshot();
    if (after === "piece") world.piece(5);
    if (after === "away") putAway(world.kernel, 0);
    if (after === "reopen") world.kernel = world.restored();
  }
  // What a cell took in last, and under which version, is part of it: all end with the same.
  for (const key of keys) say(key, "0");
  if (isKeptWhole) world.snapshot();
  for (const key of endings) say(key, "end");
  expect(world.whyReplayDiffers()).toBeNull();
  return hex(world.snapshot());
}

test("[M.K7.5-3] [M.C-12] permuted histories have equal roots and equal snapshots", () => {
  const permuted = inputs.chain((given) => {
    const at = fc.nat(given.length - 1);
    const same = fc.shuffledSubarray([...given], { minLength: given.length });
    const noises = fc.array(noise, { minLength: given.length, maxLength: given.length });
    return fc.tuple(fc.constant(given), same, noises, at, at);
  });
  fc.assert(
    fc.property(permuted, ([given, other, noises, first, second]) => {
      const noisy = other.map((each, at) => ({ ...each, after: noises[at] ?? "" }));
      const whole = live(given, { upgradeAt: first, isKeptWhole: true });
      expect(live(noisy, { upgradeAt: second, isKeptWhole: false })).toBe(whole);
    }),
    { numRuns: Math.ceil(15 * scale) },
  );
});
