import { HostError, type Store, type WorkflowSummary } from "@holdfast/core";
import {
  type Executed,
  type Problem,
  takeCheckpoint,
  verifyWorkflow,
  WorkflowOwner,
} from "@holdfast/host";
import { Command } from "commander";
import { listWorkflows, openExistingStore } from "../open-store.ts";
import { exitCodes } from "../report-error.ts";
import { findPlace } from "../store-place.ts";

type Options = { readonly data?: string; readonly json: boolean };

export function checkpointCommand(): Command {
  return new Command("checkpoint")
    .option("--data <folder>", "data folder")
    .option("--json", "one line of JSON", false)
    .action(run);
}

const triesMax = 3;

type Taken = { readonly workflow: string; readonly seq: number };
type LeftOut = { readonly workflow: string; readonly why: string };
type Take = (store: Store, summary: WorkflowSummary) => Promise<Taken | LeftOut>;

async function run({ data, json }: Options): Promise<void> {
  const place = findPlace(data);
  const store = await openExistingStore(place);
  const take: Take = place.kind === "folder" ? takeAlone : takeBesideHosts;
  const checkpoints: Taken[] = [];
  const leftOut: LeftOut[] = [];
  const problems: Problem[] = [];
  try {
    for await (const summary of listWorkflows(store)) {
      const outcome = await takeOrLook(store, summary, take);
      if (outcome === null) continue;
      if ("seq" in outcome) checkpoints.push(outcome);
      else if ("why" in outcome) leftOut.push(outcome);
      else problems.push(outcome);
      if (!json) console.log(inWords(outcome));
    }
  } finally {
    await store.close();
  }
  const ok = problems.length === 0;
  const rest = { ...(leftOut.length > 0 && { leftOut }), ...(!ok && { problems }) };
  if (json) console.log(JSON.stringify({ ok, checkpoints, ...rest }));
  else if (checkpoints.length === 0) console.log("no checkpoint was taken");
  if (!ok) process.exitCode = exitCodes.problems;
}

function inWords(outcome: Taken | LeftOut | Problem): string {
  const { workflow } = outcome;
  if ("seq" in outcome) return `${workflow}: checkpoint at record ${outcome.seq}`;
  if ("why" in outcome) return `${workflow}: left out, ${outcome.why}`;
  const { code, position, note } = outcome;
  return `${workflow}: no checkpoint\n  ${code} at record ${position}: ${note}
  See docs/errors/${code}.md`;
}

/**
 * What verify would find is found here too, also in a workflow of which no checkpoint is taken.
 * Null = it has no records.
 */
async function takeOrLook(
  store: Store,
  summary: WorkflowSummary,
  take: Take,
): Promise<Taken | LeftOut | Problem | null> {
  let outcome: LeftOut | null = null;
  let failure: HostError | null = null;
  try {
    const taken = summary.head.seq === 0 ? null : await take(store, summary);
    if (taken !== null && "seq" in taken) return taken;
    outcome = taken;
  } catch (error) {
    if (!(error instanceof HostError) || error.retry === "unknown") throw error;
    failure = error;
  }
  const problem = await findProblem(store, summary.workflow);
  if (problem !== null) return problem;
  if (failure !== null) throw failure;
  return outcome;
}

/** The first. Damage is still there at the next look; what a host was only about to do is not. */
async function findProblem(store: Store, workflow: string): Promise<Problem | null> {
  let found: Problem | null = null;
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const report = await verifyWorkflow(store, workflow, { full: true }).catch(nullIfChanged);
    if (report?.problems.length === 0) return null;
    found = report?.problems[0] ?? found;
  }
  return found;
}

function nullIfChanged(error: unknown): null {
  if (error instanceof HostError && error.code === "STORE_CHANGED") return null;
  throw error;
}

/** Holding the folder's lock makes this process the owner of everything in it. */
async function takeAlone(store: Store, { workflow, epoch }: WorkflowSummary): Promise<Taken> {
  const owner = new WorkflowOwner(store, { workflow, epoch });
  const { head } = await owner.loadView();
  const executed = await takeCheckpoint(store, owner, Date.now());
  if (executed.kind !== "done") throw notTaken(workflow, executed);
  return { workflow, seq: head.seq + 1 };
}

/**
 * Takes no ownership, so that no host has to wait, and no successor misses that an owner died. A
 * workflow that has an owner is left to it. Of the others a host may claim any at any moment: the
 * epoch and the head it was loaded with are compared when the checkpoint is written, and whatever
 * a host did since makes it miss.
 */
export async function takeBesideHosts(
  store: Store,
  summary: WorkflowSummary,
): Promise<Taken | LeftOut> {
  const { workflow, owner } = summary;
  if (owner !== null) return { workflow, why: `its owner is the host ${owner}` };
  const moved = { workflow, why: "a host went on with it meanwhile" };
  for (let tries = 1; ; tries += 1) {
    try {
      return await takeAlone(store, summary);
    } catch (error) {
      if (error instanceof HostError && error.retry === "unknown") throw error;
      const { head, epoch } = await store.load(workflow, []);
      if (epoch !== summary.epoch || head.seq !== summary.head.seq) return moved;
      // What is only on its way, such as a command for the inbox, looks otherwise next time.
      if (tries === triesMax) throw error;
    }
  }
}

function notTaken(workflow: string, executed: Exclude<Executed, { kind: "done" }>): HostError {
  const unknown = executed.kind === "lost" && executed.answer.kind === "unknown";
  const why = executed.kind === "lost" ? describe(executed.answer) : executed.refusal.note;
  return new HostError(unknown ? "STORE_IO" : "CHANGE_REFUSED", {
    what: `No checkpoint of ${workflow} was taken (${why}).`,
    remedy: "Run `holdfast verify --full` and look at what it reports.",
    retry: unknown ? "unknown" : "safe",
  });
}

function describe(answer: Extract<Executed, { kind: "lost" }>["answer"]): string {
  if (answer.kind !== "refused") return answer.kind;
  return `refused by ${answer.constraint}: ${answer.note}`;
}
