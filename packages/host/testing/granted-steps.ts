import { type CanonicalValue, type Grant, readGrants } from "@holdfast/core";
import fc from "fast-check";
import type { GrantedDesk } from "./granted-desk.ts";
import type { GrantedPlay, Mood } from "./granted-play.ts";

const people = ["ada", "bob", "cyd"] as const;

export type GrantedStep = {
  readonly kind: string;
  readonly n: number;
  readonly grants: readonly object[];
  /** Which workflow it is about. */
  readonly on: number;
  readonly who: (typeof people)[number];
};

type Take = (play: GrantedPlay, desk: GrantedDesk, step: GrantedStep) => unknown;

const where = fc.oneof(
  fc.constant([]),
  fc.constantFrom("a", "b").map((to) => [{ at: "/to", equals: to }]),
  fc.nat(40).map((max) => [{ at: "/sum", max }]),
  fc.nat(40).map((min) => [{ at: "/sum", min }]),
);

const per = fc.constantFrom("hour", "day");
const perRunToo = fc.constantFrom("hour", "day", "run");
const of = fc.constantFrom("pool", "pool", "purse");
const limits = fc.oneof(
  fc.constant([]),
  fc.record({ per, count: fc.nat(3) }).map((limit) => [limit]),
  fc.record({ per, amount: fc.nat(60) }).map((limit) => [limit]),
  fc.record({ per: perRunToo, of, count: fc.nat(3) }).map((limit) => [limit]),
  fc.record({ per: perRunToo, of, amount: fc.nat(60) }).map((limit) => [limit]),
  fc
    .record({ per, of, count: fc.nat(3), own: fc.nat(3) })
    .map(({ own, ...shared }) => [shared, { per: shared.per, count: own }]),
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
    fourEyes: fc.boolean(),
    at: fc.nat(5),
  })
  .map(({ say, where: tests, limits: within, counts, fourEyes, at }) => ({
    operation: "shop.book",
    say,
    where: tests,
    ...(say === "deny" ? {} : { limits: within }),
    ...(say !== "deny" && (counts || hasAmount(within)) ? { amount: "/sum" } : {}),
    ...(say === "ask" ? { fourEyes } : {}),
    expiresAt: at === 0 ? 1_700_003_000_000 : null,
  }));

const moods: readonly Mood[] = ["works", "works", "refuses", "is wrong", "is lost", "is busy"];
const [dayMs, halfADayMs, minuteMs] = [86_400_000, 43_200_000, 60_000];

const brake = { operation: "*", reason: "wait" };
const ask = { operation: "shop.book", say: "ask" };
const atFirst = [{ ...ask, say: "allow", where: [{ at: "/sum", max: 20 }] }, ask];

/** Everything a person or the world may do between two lives of a host. */
const takes: Readonly<Record<string, Take>> = {
  publish: (_, desk, { n }) => desk.publish({ sum: n, to: n % 2 === 0 ? "a" : "b" }),
  "publish more": (_, desk, { n }) => desk.publish({ sum: n, to: "a" }),
  grant: (_, desk, { grants }) => desk.setGrants(grantsOf(grants)),
  "grant again": (_, desk, { grants }) => desk.setGrants(grantsOf(grants)),
  approve: (_, desk, { who }) => desk.approve(who),
  "approve again": (_, desk, { who }) => desk.approve(who),
  "approve other bytes": (_, desk, { who }) => desk.approve(who, { payloadHash: "sha256:x" }),
  "approve another preview": (_, desk, { who }) => desk.approve(who, { previewHash: "sha256:x" }),
  "approve, and take back what asked": async (_, desk, { who, grants }) => {
    await desk.approve(who);
    await desk.setGrants(grantsOf(grants));
  },
  "approve, and keep it for long": async (play, desk, { who, n }) => {
    await desk.command("set_brake", brake);
    await desk.approve(who);
    await play.live();
    play.now += n * dayMs;
    await desk.command("release_brake", { operation: "*" });
  },
  "let what is limited wait for longer than its window": async (play, desk, { n }) => {
    const within = [{ per: "day", ...(n % 2 === 0 ? { count: 1 } : { amount: n }) }];
    const grant = { operation: "shop.book", say: "allow", limits: within };
    await desk.setGrants(grantsOf([{ ...grant, ...(n % 2 === 0 ? {} : { amount: "/sum" }) }]));
    await desk.command("set_brake", brake);
    for (const to of ["a", "b"]) await desk.publish({ sum: n, to });
    await play.live();
    play.now += (n + 1) * halfADayMs;
    await desk.command("release_brake", { operation: "*" });
  },
  "spend from one budget at once": (play, _, { n }) => spendAtOnce(play, n),
  "spend from one budget at once what waits": async (play, _, { n }) => {
    for (const desk of play.desks) await desk.command("set_brake", brake);
    await spendAtOnce(play, n);
    await play.live();
    for (const desk of play.desks) await desk.command("release_brake", { operation: "*" });
  },
  "publish to both": async (play, _, { n }) => {
    for (const desk of play.desks) await desk.publish({ sum: n, to: "b" });
  },
  "let go what waits": async (play, desk) => {
    play.mood = "works";
    await desk.command("release_brake", { operation: "*" });
    await desk.setGrants(grantsOf(atFirst));
    await play.live();
    await desk.approve("cyd");
  },
  "ask for four eyes": (_, desk) => desk.setGrants(grantsOf([{ ...ask, fourEyes: true }])),
  "ask for four eyes, and approve": async (_, desk, { who, n }) => {
    const small = { ...ask, where: [{ at: "/sum", max: n }] };
    await desk.setGrants(grantsOf([{ ...small, fourEyes: true }, ask]));
    await desk.approve(who);
  },
  "ask for four eyes where there is no room": async (play, desk, { who, n }) => {
    const full = { ...ask, fourEyes: true, limits: [{ per: "day", count: 0 }] };
    await desk.setGrants(grantsOf([full, ask]));
    await desk.publish({ sum: n, to: "a" });
    await play.live();
    await desk.approve(who);
  },
  deploy: (_, desk, { who }) => desk.deploy(who),
  propose: (_, desk, { who, n }) => desk.propose(who, somebody(n)),
  "deploy while it is asked, and approve": async (play, desk, { who, n }) => {
    await desk.setGrants(grantsOf([{ ...ask, fourEyes: true }]));
    await desk.publish({ sum: n, to: "a" });
    await play.live();
    await desk.deploy(somebody(n));
    await desk.approve(who);
  },
  "fail, and deploy before it is tried again": async (play, desk, { who, n }) => {
    play.mood = "is wrong";
    await desk.setGrants(grantsOf([{ ...ask, fourEyes: true }]));
    await desk.publish({ sum: n, to: "a" });
    await play.live();
    await desk.approve("cyd");
    await play.live();
    play.mood = "works";
    await desk.deploy(somebody(n));
    await play.live();
    await desk.approve(who);
  },
  edit: (_, desk, { who, n }) => desk.edit(who, { sum: n, to: "b" }),
  "edit, and approve what was shown before": async (play, desk, { who, n }) => {
    const { payloadHash = "", approval } = (await desk.asked()) ?? {};
    await desk.edit(who, { sum: n, to: "a" });
    await play.live();
    // It could not be made, or says the same: what was shown is what is asked.
    if ((await desk.asked())?.payloadHash === payloadHash) return;
    await desk.approve(who, { payloadHash, previewHash: approval?.previewHash ?? "" });
  },
  "edit, and approve": async (play, desk, { who, n }) => {
    await desk.edit(who, { sum: n + 20, to: "b" });
    await play.live();
    await desk.approve(somebody(n));
  },
  "edit, one after the other, and approve": async (play, desk, { who, n }) => {
    await desk.setGrants(grantsOf([{ ...ask, fourEyes: true }]));
    await desk.edit(who, { sum: n, to: "a" });
    await play.live();
    await desk.edit(somebody(n), { sum: n + 1, to: "a" });
    await play.live();
    await desk.approve(who);
  },
  "edit, and take back what asked": async (_, desk, { who, n, grants }) => {
    await desk.edit(who, { sum: n, to: "a" });
    await desk.setGrants(grantsOf(grants));
  },
  reject: async (_, desk, { who }) => {
    const mutationId = (await desk.asked())?.mutationId ?? "m0";
    // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
    await desk.command("reject_mutation", { mutationId, reason: "no", then: "skip" }, who);
  },
  later: (play, _, { n }) => {
    play.now += n * minuteMs;
  },
  "much later": (play, _, { n }) => {
    play.now += n * dayMs;
  },
  mood: (play, _, { n }) => {
    play.mood = moods[n % moods.length] ?? "works";
  },
  brake: (_, desk) => desk.command("set_brake", brake),
  release: (_, desk) => desk.command("release_brake", { operation: "*" }),
  script: (play, _, { n }) => {
    play.scale = (n % 3) + 1;
  },
  connector: (play, _, { n }) => {
    play.connectorVersion = String(n % 2);
  },
  resume: async (_, desk) => {
    const run = (await desk.rows("runs")).find(({ open }) => open);
    await desk.command("resume_run", { runId: run?.runId ?? "r0" });
  },
  "did not happen": async (_, desk) => {
    const run = (await desk.rows("runs")).find(({ open }) => open);
    // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
    const answer = { says: "did_not_happen", then: null };
    await desk.command("resolve_mutation", { mutationId: run?.mutationId ?? "m0", answer });
  },
};

function somebody(n: number): (typeof people)[number] {
  return people[n % people.length] ?? "ada";
}

/** Room for one of two calls, as likely as for both. */
async function spendAtOnce(play: GrantedPlay, n: number): Promise<void> {
  const limit = { per: "day", of: "pool", ...(n % 2 === 0 ? { count: 1 } : { amount: 2 * n }) };
  const grant = { operation: "shop.book", say: "allow", amount: "/sum", limits: [limit] };
  for (const desk of play.desks) {
    await desk.setGrants(grantsOf([grant]));
    await desk.publish({ sum: n, to: "a" });
  }
}

function grantsOf(given: readonly object[]): readonly Grant[] {
  const read = readGrants(given as unknown as CanonicalValue);
  if (!read.ok) throw new Error(read.message);
  return read.grants;
}

export const grantedSteps = fc.array(
  fc.record<GrantedStep>({
    kind: fc.constantFrom(...Object.keys(takes)),
    n: fc.nat(40),
    grants: fc.array(oneGrant, { maxLength: 3 }),
    on: fc.nat(1),
    who: fc.constantFrom(...people),
  }),
  { minLength: 10, maxLength: 60 },
);

/** Each step, and then a life of a host. */
export async function takeAll(play: GrantedPlay, steps: readonly GrantedStep[]): Promise<void> {
  for (const desk of play.desks) await desk.setGrants(grantsOf(atFirst));
  for (const step of steps) {
    const desk = play.desks[step.on];
    if (desk !== undefined) await takes[step.kind]?.(play, desk, step);
    await play.live();
  }
}
