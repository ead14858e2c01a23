import { join } from "node:path";
import {
  type HostProcess,
  newFolder,
  type StorePlace,
  verifyFull,
  writeAccounts,
} from "../end-to-end/host-process.ts";
import { type Mood, OrderShop } from "../end-to-end/order-shop.ts";
import {
  answerTimeoutMs,
  askForOrders,
  boundariesIn,
  firstMeets,
  leaseMs,
  orders,
  startHost,
  workOff,
} from "./life.ts";

export type TrialOptions = {
  readonly store: StorePlace;
  readonly mood: Mood;
  /** Null = nothing happens to the host: the life from which boundaries are enumerated. */
  readonly blow: {
    readonly boundary: string;
    readonly signal: "SIGKILL" | "SIGSTOP";
  } | null;
  readonly brokenGuard?: string;
};

export type TrialReport = {
  readonly boundaries: readonly string[];
  readonly wasReached: boolean;
  readonly problems: readonly string[];
};

/** One life of the shipped program, a blow at one boundary, and what a successor makes of it. */
export async function tryBlow(options: TrialOptions): Promise<TrialReport> {
  const shop = await OrderShop.start();
  shop.mood = firstMeets(options.mood);
  const folder = newFolder();
  const accountsFile = writeAccounts(folder, shop.url, { timeoutMs: answerTimeoutMs });
  const log = join(folder, "boundaries");
  const { store, blow, brokenGuard } = options;
  const parts = { store, accountsFile };
  const armed = { log, ...blow, ...(brokenGuard === undefined ? {} : { brokenGuard }) };
  const victim = startHost(parts, armed);
  const next = () => startHost(parts, brokenGuard === undefined ? null : { log: "", brokenGuard });
  try {
    const survivors = await live({ victim, next, shop, blow, log });
    for (const host of survivors) await host.stop();
    return await judge({ options, shop, log });
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
};

async function live(life: Life): Promise<readonly HostProcess[]> {
  const { victim, next, shop, blow, log } = life;
  const working = askAndWorkOff(victim, shop);
  if (blow === null) {
    await working;
    return [victim];
  }
  // Whatever the blow tears off is asked for again, of whoever is there then.
  const torn = working.then(() => "done" as const).catch(() => "torn" as const);
  const struck = strike(victim, { log, boundary: blow.boundary });
  if ((await Promise.race([torn, struck])) === "done" && !isStruck(log, blow.boundary)) {
    return [victim];
  }
  if (blow.signal === "SIGKILL") await victim.ended;
  else await waitOutLease();
  const successor = next();
  if (blow.signal === "SIGSTOP") return resumeLater({ ...life, successor });
  await askAndWorkOff(successor, shop);
  return [successor];
}

/** On PostgreSQL another host goes on meanwhile; on SQLite the folder stays with the stopped one. */
async function resumeLater({
  victim,
  next,
  shop,
  successor,
}: Life & { readonly successor: HostProcess }): Promise<readonly HostProcess[]> {
  const others = await successor.url.then(
    () => [successor],
    () => [],
  );
  for (const host of others) await askAndWorkOff(host, shop);
  victim.kill("SIGCONT");
  await victim.ended;
  if (others.length > 0) return others;
  const last = next();
  await askAndWorkOff(last, shop);
  return [last];
}

async function askAndWorkOff(host: HostProcess, shop: OrderShop): Promise<void> {
  await askForOrders(host);
  await workOff(host, shop);
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

async function waitOutLease(): Promise<void> {
  await new Promise((resume) => setTimeout(resume, leaseMs * 1.5));
}

async function judge({
  options: { store, blow },
  shop,
  log,
}: {
  readonly options: TrialOptions;
  readonly shop: OrderShop;
  readonly log: string;
}): Promise<TrialReport> {
  const problems: string[] = [];
  for (const id of orders) {
    const times = shop.counts.get(id) ?? 0;
    if (times !== 1) problems.push(`${id} was booked ${times} times`);
  }
  const { code, out } = await verifyFull(store);
  if (code !== 0) problems.push(`verify: ${out}`);
  const boundaries = boundariesIn(log);
  return { boundaries, wasReached: blow === null || isStruck(log, blow.boundary), problems };
}
