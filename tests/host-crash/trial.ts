import { join } from "node:path";
import {
  type HostProcess,
  newFolder,
  type StorePlace,
  verifyFull,
  writeAccounts,
} from "../end-to-end/host-process.ts";
import { type Mood, OrderShop } from "../end-to-end/order-shop.ts";
import { writePatientConnector } from "../end-to-end/patient-connector.ts";
import { binProblems } from "./bins.ts";
import type { GuardName } from "./broken-guards.ts";
import { liveBefore } from "./earlier-lives.ts";
import { furtherCourse } from "./further-answers.ts";
import {
  accountOf,
  agreedSum,
  askForOrders,
  bookingsOf,
  boundariesIn,
  type Course,
  deployFor,
  firstMeets,
  hasMachines,
  livesMax,
  longLeaseMs,
  lostLease,
  type Manner,
  policyOf,
  startHost,
  timesOf,
  workOf,
  workOff,
} from "./life.ts";
import { machineProblems } from "./machine-journal.ts";
import { order, orderAfter } from "./order-ids.ts";
import { upgradeProblems } from "./upgrade.ts";

export type TrialOptions = {
  readonly store: StorePlace;
  readonly mood: Mood;
  readonly manner: Manner;
  readonly course?: Course;
  /** Null = nothing happens to the host: the life from which boundaries are enumerated. */
  readonly blow: {
    readonly boundary: string;
    readonly signal: "SIGKILL" | "SIGSTOP";
  } | null;
  readonly brokenGuard?: GuardName;
  /** Of the host that is struck; on a busy machine it has to be longer. */
  readonly leaseMs: number;
};

export type TrialReport = {
  readonly boundaries: readonly string[];
  readonly wasReached: boolean;
  readonly problems: readonly string[];
};

/** One life of the shipped program, a blow at one boundary, and what a successor makes of it. */
export async function tryBlow(options: TrialOptions): Promise<TrialReport> {
  const { store, blow, brokenGuard, leaseMs, course = "allowed" } = options;
  const shop = await OrderShop.start();
  shop.mood = firstMeets(options.mood, course);
  const further = furtherCourse(course);
  if (further?.isFoundOut) shop.look = "nonsense";
  const folder = newFolder();
  const accountsFile = writeAccounts(folder, shop.url, accountOf(options.manner, course));
  const log = join(folder, "boundaries");
  const environment = {
    ...policyOf(folder, course),
    ...(further?.isPatient ? writePatientConnector(folder) : {}),
  };
  const parts = { store, accountsFile, environment };
  const earlier = further?.earlier;
  if (earlier !== undefined) await liveBefore(earlier, { parts, shop, log, leaseMs });
  const guard = brokenGuard === undefined ? {} : { brokenGuard };
  const victim = startHost(parts, { log, ...blow, ...guard, leaseMs, course });
  // Nobody takes over from them, so that nothing has to end soon.
  const broken = { log: "", ...guard, leaseMs: longLeaseMs };
  const next = () => startHost(parts, brokenGuard === undefined ? null : broken);
  try {
    const survivors = await live({
      victim,
      next,
      shop,
      blow,
      log,
      leaseMs,
      isShared: store.kind === "postgres",
      course,
      isDeployed: earlier !== undefined,
    });
    const [survivor] = survivors;
    const isOfMachine = workOf(course) === "machines" && survivor !== undefined;
    const ofMachines = isOfMachine ? [...(await machineProblems(survivor))] : [];
    if (isOfMachine && hasMachines(course)) {
      ofMachines.push(...(await upgradeProblems(survivor, idsOf(blow))));
    }
    if (isOfMachine && course === "pieces") {
      ofMachines.push(...(await binProblems(survivor)));
    }
    for (const host of survivors) await host.stop();
    const judged = await judge({ options, shop, log });
    return { ...judged, problems: [...judged.problems, ...ofMachines] };
  } finally {
    victim.kill("SIGKILL");
    await shop.stop();
  }
}

type Life = {
  readonly victim: HostProcess;
  readonly next: () => HostProcess;
  readonly shop: OrderShop;
  readonly blow: TrialOptions["blow"];
  readonly log: string;
  readonly leaseMs: number;
  readonly course: Course;
  /** Whether another host can work beside a stopped one. */
  readonly isShared: boolean;
  /** Whether somebody was told that the workflow is deployed: then nobody deploys it again. */
  isDeployed: boolean;
};

async function live(life: Life): Promise<readonly HostProcess[]> {
  const { victim, blow, log } = life;
  const working = askAndWorkOff(victim, life, [order]);
  if (blow === null) {
    await working;
    return [victim];
  }
  // Whatever the blow tears off is asked for again, of whoever is there then.
  const torn = working.then(() => "done" as const).catch(() => "torn" as const);
  const struck = strike(victim, { log, boundary: blow.boundary });
  const first = await Promise.race([torn, struck]);
  if (first === "done" && !isStruck(log, blow.boundary)) return leave(victim, life);
  if (blow.signal === "SIGKILL") await victim.ended;
  else await waitOutLease(life);
  if (blow.signal === "SIGSTOP") return resumeLater(life);
  return [await finish(life)];
}

/** The boundaries of the way out come when it is told to stop. */
async function leave(victim: HostProcess, life: Life) {
  victim.kill("SIGTERM");
  if (life.blow?.signal === "SIGSTOP") {
    await waitOutLease(life);
    victim.kill("SIGCONT");
  }
  await victim.ended;
  return [await finish(life)];
}

const endingMs = 5_000;

/** A busy machine may cost a host its lease; then whoever runs it starts it again. */
async function finish(life: Life): Promise<HostProcess> {
  for (let lives = 1; ; lives++) {
    const host = life.next();
    const ended = host.ended.then(() => "ended" as const);
    const done = askAndWorkOff(host, life, [order, orderAfter]).then(() => "done" as const);
    const end = await Promise.race([done, ended]).catch(async (error: unknown) => {
      // A host that goes closes its door first.
      const isUp = await Promise.race([ended.then(() => false), after(endingMs).then(() => true)]);
      if (isUp) {
        host.kill("SIGKILL");
        throw error;
      }
      return "ended" as const;
    });
    if (end === "done") return host;
    done.catch(() => {});
    if (host.child.exitCode !== lostLease || lives === livesMax) {
      throw new Error(`a successor ended:\n${host.output.join("")}`);
    }
  }
}

/** On PostgreSQL another host goes on meanwhile; a folder stays with the host that stopped. */
async function resumeLater(life: Life): Promise<readonly HostProcess[]> {
  const { victim, isShared } = life;
  const others = isShared ? [await finish(life)] : [];
  victim.kill("SIGCONT");
  await victim.ended;
  return others.length > 0 ? others : [await finish(life)];
}

async function askAndWorkOff(host: HostProcess, life: Life, ids: readonly string[]): Promise<void> {
  const { shop, course } = life;
  if (!life.isDeployed) await deployFor(host, course);
  life.isDeployed = true;
  await askForOrders(host, ids, course, shop);
  await workOff(host, shop, ids, course);
}

/** Resolves when the process has come to the boundary, or has ended. */
async function strike(
  victim: HostProcess,
  { log, boundary }: { readonly log: string; readonly boundary: string },
): Promise<"struck"> {
  let hasEnded = false;
  void victim.ended.then(() => {
    hasEnded = true;
  });
  while (!hasEnded && !isStruck(log, boundary)) {
    await new Promise((resume) => setTimeout(resume, 5));
  }
  return "struck";
}

function isStruck(log: string, boundary: string): boolean {
  return boundariesIn(log).includes(boundary);
}

/** It was asked for before the blow, and so ends within its length; a little more is certain. */
function waitOutLease({ leaseMs }: Pick<Life, "leaseMs">): Promise<void> {
  return after(leaseMs * 1.1);
}

function after(ms: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, ms));
}

function idsOf(blow: TrialOptions["blow"]): readonly string[] {
  return blow === null ? [order] : [order, orderAfter];
}

async function judge({
  options: { store, blow, course = "allowed" },
  shop,
  log,
}: {
  readonly options: TrialOptions;
  readonly shop: OrderShop;
  readonly log: string;
}): Promise<TrialReport> {
  const problems: string[] = [];
  for (const id of idsOf(blow).flatMap((each) => bookingsOf(course, each))) {
    const times = shop.counts.get(id) ?? 0;
    if (times !== timesOf(course, id)) problems.push(`${id} was booked ${times} times`);
  }
  for (const { id, sum } of shop.applied) {
    if (workOf(course) !== "items" && sum !== agreedSum(course))
      problems.push(`${id} was booked for ${sum}: nobody agreed to it`);
  }
  const { code, out } = await verifyFull(store);
  if (code !== 0) problems.push(`verify: ${out}`);
  const boundaries = boundariesIn(log);
  return { boundaries, wasReached: blow === null || isStruck(log, blow.boundary), problems };
}
