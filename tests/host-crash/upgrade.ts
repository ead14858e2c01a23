/** What people do with the machine once its orders are booked; torn off anywhere, done again. */
import type { HostProcess } from "../end-to-end/host-process.ts";
import { renewBins } from "./bins.ts";

/** Says who made a state; of those that were there before, it makes that up. */
const nextScript = (script: string) =>
  renewBins(script)
    .replace("tries: schema.nat() })", "tries: schema.nat(), madeBy: schema.text() })")
    .replace("tries: 0 }", 'tries: 0, madeBy: "the second" }')
    .replace(
      "step(before, event, ctx) {",
      `migrate: (state) => ({ ...(state as { sum: number; tries: number }), madeBy: "the first" }),
      $&`,
    );

const path = "/workflows/orders/machines";

type Proposal = { readonly number: number; readonly status: string; readonly patchHash: string };

async function proposalsOf(host: HostProcess): Promise<readonly Proposal[]> {
  const { items } = await host.api<{ items: readonly Proposal[] }>("GET", `${path}/proposals`);
  return items;
}

/** Whether the next version is on its way: then the first one is not deployed any more. */
export async function isUpgrading(host: HostProcess): Promise<boolean> {
  // Before its first version there is no such workflow.
  return proposalsOf(host).then(
    (all) => all.length > 0,
    () => false,
  );
}

const patienceMs = 120_000;

/** A snapshot, what older ones had, another version with all states, and what is left of that. */
export async function upgrade(host: HostProcess, script: string): Promise<void> {
  await host.api("POST", `${path}/snapshot`, {});
  await collect(host);
  const until = performance.now() + patienceMs;
  while (!(await takeNextStep(host, script))) {
    if (performance.now() > until) throw new Error("the next version was not applied");
  }
  await host.api("POST", `${path}/snapshot`, {});
  await collect(host);
}

async function collect(host: HostProcess): Promise<void> {
  await host.api("POST", `${path}/gc`, { isDryRun: false });
}

/** True = nothing is left to do. */
async function takeNextStep(host: HostProcess, script: string): Promise<boolean> {
  const all = await proposalsOf(host);
  if (all.some(({ status }) => status === "applied")) return true;
  const proposal = all.at(-1);
  if (proposal === undefined) {
    const source = { entry: "orders.ts", files: { "orders.ts": nextScript(script) } };
    await host.api("POST", "/versions", { source, bump: "major", propose: true });
    return false;
  }
  const { number, status, patchHash } = proposal;
  if (status === "submitted") {
    await host.api("POST", `${path}/proposals/${number}/shadow`, { recent: 1 });
  } else if (status === "shadowed") {
    await give(host, "decide_version", { number, patchHash, says: "approve", reason: null });
  } else await give(host, "apply_version", { number, waits: true });
  return false;
}

/** It may have come about since it was looked at: then the next look says so. */
async function give(host: HostProcess, kind: string, body: object): Promise<void> {
  await host.api("POST", "/workflows/orders/commands", { kind, body }).catch((error: unknown) => {
    if (!String(error).includes("COMMAND_REFUSED")) throw error;
  });
}

/** Applied once, and every cell is as it makes them: whatever died on the way. */
export async function upgradeProblems(
  host: HostProcess,
  ids: readonly string[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  const applied = (await proposalsOf(host)).filter(({ status }) => status === "applied");
  if (applied.length !== 1) problems.push(`${applied.length} proposals are applied`);
  for (const id of ids) {
    const query = new URLSearchParams({ machine: "order", key: JSON.stringify(id) });
    const { state } = await host.api<{ state: unknown }>("GET", `${path}/state?${query}`);
    const { madeBy } = Object(state) as { madeBy?: unknown };
    if (typeof madeBy !== "string") problems.push(`${id} is ${JSON.stringify(state)}`);
  }
  return problems;
}
