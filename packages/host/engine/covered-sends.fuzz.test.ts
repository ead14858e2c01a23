import {
  type CanonicalValue,
  type Grant,
  type MutationRow,
  pinPayload,
  readGrants,
} from "@holdfast/core";
import { openMemoryStore } from "@holdfast/store/memory";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readEnvelope } from "../queries/read-envelope.ts";
import { GrantedPlay, type Mood, paramsOf } from "../testing/granted-play.ts";
import { fuzzScale } from "../testing/random-history.ts";
import type { SentCall } from "./ports.ts";

type Params = { readonly sum: number; readonly to: string };

/** From when a call counts, and with how much. */
type Counted = { readonly at: number; readonly sum: number };

/** Said once more, in the simplest way there is, and knowing nothing of the code under test. */
class Reference {
  readonly #play: GrantedPlay;
  sends = 0;
  /** What was sent and should not have been: a host takes whatever a connector throws. */
  readonly faults: string[] = [];
  /** The last send of each call, as the service saw it. */
  readonly #seen = new Map<string, Counted>();

  constructor(play: GrantedPlay) {
    this.#play = play;
    play.onSend = async (call) => {
      this.sends += 1;
      const fault = await this.#faultOf(call);
      if (fault !== null) this.faults.push(`${JSON.stringify(paramsOf(call))} ${fault}`);
    };
  }

  async #faultOf(call: SentCall): Promise<string | null> {
    const play = this.#play;
    const rows = await play.rows("mutations");
    const row = rows.find(({ state }) => state === "in_flight");
    const { hash } = pinPayload(call.payload).payload;
    if (row?.payloadHash !== hash) return "is not what the ledger says";
    const params = paramsOf(call) as Params;
    const grants = (await readEnvelope(play.store, "orders"))?.grants ?? [];
    const others = rows
      .filter(({ mutationId, state }) => mutationId !== row.mutationId && state !== "failed")
      .map((each) => this.#countedOf(each));
    const isCounted = grants.some(({ amount }) => amount !== null);
    const before = this.#seen.get(row.mutationId)?.sum ?? 0;
    this.#seen.set(row.mutationId, { at: play.now, sum: isCounted ? params.sum : before });
    const fits = grants.filter((grant) => this.#isAbout(grant, params));
    if (fits.some(({ say }) => say === "deny")) return "is denied";
    const free = fits.filter((grant) => this.#isWithin(grant, params, others));
    if (free.some(({ say }) => say === "allow")) return null;
    if (!free.some(({ say }) => say === "ask")) return "is not granted";
    return this.#isApproved(row, hash) ? null : "is not approved";
  }

  /** Of what was never sent only the ledger knows. */
  #countedOf({ mutationId, recordedAt, amount }: MutationRow): Counted {
    return this.#seen.get(mutationId) ?? { at: recordedAt, sum: (amount ?? 0) / 10_000 };
  }

  #isApproved({ mutationId, approval, connectorVersion }: MutationRow, hash: string): boolean {
    if (approval === null || approval.approvedAt === null) return false;
    if (!this.#play.agreedTo.has(mutationId)) return false;
    const isLive = this.#play.now < approval.expiresAt;
    const isHere = connectorVersion === this.#play.connectorVersion;
    return isLive && isHere && approval.payloadHash === hash;
  }

  #isAbout({ where, expiresAt }: Grant, params: Params): boolean {
    if (expiresAt !== null && expiresAt <= this.#play.now) return false;
    return where.every((each) => {
      if (each.at === "/to") return "equals" in each && each.equals === params.to;
      const { min = -1, max = 1e9 } = each as { min?: number; max?: number };
      return params.sum >= min && params.sum <= max;
    });
  }

  #isWithin({ limits }: Grant, params: Params, others: readonly Counted[]): boolean {
    const sinceMs = { run: Number.POSITIVE_INFINITY, hour: 3.6e6, day: 8.64e7, week: 6.048e8 };
    return limits.every(({ per, count, amount }) => {
      const used = others.filter(({ at }) => at > this.#play.now - sinceMs[per]);
      const sum = used.reduce((all, each) => all + each.sum, params.sum);
      return (count === null || used.length < count) && (amount === null || sum <= amount);
    });
  }
}

const where = fc.oneof(
  fc.constant([]),
  fc.constantFrom("a", "b").map((to) => [{ at: "/to", equals: to }]),
  fc.nat(40).map((max) => [{ at: "/sum", max }]),
  fc.nat(40).map((min) => [{ at: "/sum", min }]),
);
const limits = fc.oneof(
  fc.constant([]),
  fc.record({ per: fc.constantFrom("hour", "day"), count: fc.nat(3) }).map((limit) => [limit]),
  fc.record({ per: fc.constantFrom("hour", "day"), amount: fc.nat(60) }).map((limit) => [limit]),
);

function hasAmount(within: readonly object[]): boolean {
  return within.some((limit) => "amount" in limit);
}

const oneGrant = fc
  .record({
    say: fc.constantFrom("allow", "allow", "ask", "ask", "deny"),
    where,
    limits,
    counts: fc.boolean(),
    at: fc.nat(5),
  })
  .map(({ say, where: tests, limits: within, counts, at }) => ({
    operation: "shop.book",
    say,
    where: tests,
    ...(say === "deny" ? {} : { limits: within }),
    ...(say !== "deny" && (counts || hasAmount(within)) ? { amount: "/sum" } : {}),
    expiresAt: at === 0 ? 1_700_003_000_000 : null,
  }));

type Step = { readonly kind: string; readonly n: number; readonly grants: readonly object[] };
type Take = (play: GrantedPlay, step: Step) => unknown;

const moods: readonly Mood[] = ["works", "works", "refuses", "is lost", "is busy"];

/** Everything a person or the world may do between two lives of a host. */
const takes: Readonly<Record<string, Take>> = {
  publish: (play, { n }) => play.publish({ sum: n, to: n % 2 === 0 ? "a" : "b" }),
  "publish more": (play, { n }) => play.publish({ sum: n, to: "a" }),
  grant: (play, { grants }) => play.setGrants(grantsOf(grants)),
  "grant again": (play, { grants }) => play.setGrants(grantsOf(grants)),
  approve: (play) => approve(play),
  "approve again": (play) => approve(play),
  "approve other bytes": (play) => approve(play, { payloadHash: "sha256:x" }),
  "approve another preview": (play) => approve(play, { previewHash: "sha256:x" }),
  "approve, and take back what asked": async (play, { grants }) => {
    await approve(play);
    await play.setGrants(grantsOf(grants));
  },
  "approve, and keep it for long": async (play, { n }) => {
    await play.command("set_brake", { operation: "*", reason: "wait" });
    await approve(play);
    await play.live();
    play.now += n * 86_400_000;
    await play.command("release_brake", { operation: "*" });
  },
  "let what is limited wait for longer than its window": async (play, { n }) => {
    const within = [{ per: "day", ...(n % 2 === 0 ? { count: 1 } : { amount: n }) }];
    const grant = { operation: "shop.book", say: "allow", limits: within };
    await play.setGrants(grantsOf([{ ...grant, ...(n % 2 === 0 ? {} : { amount: "/sum" }) }]));
    await play.command("set_brake", { operation: "*", reason: "wait" });
    for (const to of ["a", "b"]) await play.publish({ sum: n, to });
    await play.live();
    play.now += (n + 1) * 43_200_000;
    await play.command("release_brake", { operation: "*" });
  },
  edit: (play, { n }) => play.edit({ sum: n, to: "b" }),
  "edit, and approve what was shown before": async (play, { n }) => {
    const { payloadHash = "", approval } = (await play.asked()) ?? {};
    await play.edit({ sum: n, to: "a" });
    await play.live();
    // It could not be made, or says the same: what was shown is what is asked.
    if ((await play.asked())?.payloadHash === payloadHash) return;
    await approve(play, { payloadHash, previewHash: approval?.previewHash ?? "" });
  },
  "edit, and approve": async (play, { n }) => {
    await play.edit({ sum: n + 20, to: "b" });
    await play.live();
    await approve(play);
  },
  "edit, and take back what asked": async (play, { n, grants }) => {
    await play.edit({ sum: n, to: "a" });
    await play.setGrants(grantsOf(grants));
  },
  reject: async (play) => {
    const mutationId = (await play.asked())?.mutationId ?? "m0";
    // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
    await play.command("reject_mutation", { mutationId, reason: "no", then: "skip" });
  },
  later: (play, { n }) => {
    play.now += n * 60_000;
  },
  "much later": (play, { n }) => {
    play.now += n * 86_400_000;
  },
  mood: (play, { n }) => {
    play.mood = moods[n % moods.length] ?? "works";
  },
  brake: (play) => play.command("set_brake", { operation: "*", reason: "wait" }),
  release: (play) => play.command("release_brake", { operation: "*" }),
  script: (play, { n }) => {
    play.scale = (n % 3) + 1;
  },
  connector: (play, { n }) => {
    play.connectorVersion = String(n % 2);
  },
  resume: async (play) => {
    const run = (await play.rows("runs")).find(({ open }) => open);
    await play.command("resume_run", { runId: run?.runId ?? "r0" });
  },
  "did not happen": async (play) => {
    const run = (await play.rows("runs")).find(({ open }) => open);
    // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
    const answer = { says: "did_not_happen", then: null };
    await play.command("resolve_mutation", { mutationId: run?.mutationId ?? "m0", answer });
  },
};

async function approve(play: GrantedPlay, other: object = {}): Promise<void> {
  const asked = await play.asked();
  const { mutationId = "m0", payloadHash = "", approval = null } = asked ?? {};
  const agreed = { mutationId, payloadHash, previewHash: approval?.previewHash ?? "", ...other };
  if (Object.keys(other).length === 0) play.agreedTo.add(mutationId);
  await play.command("approve_mutation", agreed);
}

function grantsOf(given: readonly object[]): readonly Grant[] {
  const read = readGrants(given as unknown as CanonicalValue);
  if (!read.ok) throw new Error(read.message);
  return read.grants;
}

const atFirst = [
  { operation: "shop.book", say: "allow", where: [{ at: "/sum", max: 20 }] },
  { operation: "shop.book", say: "ask" },
];

const steps = fc.array(
  fc.record<Step>({
    kind: fc.constantFrom(...Object.keys(takes)),
    n: fc.nat(40),
    grants: fc.array(oneGrant, { maxLength: 3 }),
  }),
  { minLength: 10, maxLength: 60 },
);

test("[R84, R90, R91] nothing is ever sent that no grant or live approval covers", async () => {
  let sendCount = 0;
  const property = fc.asyncProperty(steps, async (all) => {
    const open = (clock: () => number) => openMemoryStore({ clock, newIncarnation: () => "s" });
    const play = await GrantedPlay.open(open);
    const reference = new Reference(play);
    await play.setGrants(grantsOf(atFirst));
    for (const step of all) {
      await takes[step.kind]?.(play, step);
      await play.live();
    }
    sendCount += reference.sends;
    expect(reference.faults).toEqual([]);
  });
  await fc.assert(property, { numRuns: 200 * fuzzScale });
  // A play in which nothing is ever sent would show nothing.
  expect(sendCount).toBeGreaterThan(100);
}, 120_000);
