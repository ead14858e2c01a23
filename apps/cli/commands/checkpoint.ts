import { HostError, type Store, type WorkflowSummary } from "@holdfast/core";
import { type Executed, takeCheckpoint, WorkflowOwner } from "@holdfast/host";
import { Command } from "commander";
import { listWorkflows, openExistingStore } from "../open-store.ts";
import { findPlace } from "../store-place.ts";

type Options = { readonly data?: string; readonly json: boolean };

export function checkpointCommand(): Command {
  return new Command("checkpoint")
    .description("record the state of every table, so that the next verify starts from here")
    .option("--data <folder>", "data folder")
    .option("--json", "one line of JSON", false)
    .action(run);
}

type Taken = { readonly workflow: string; readonly seq: number };
type LeftOut = { readonly workflow: string; readonly why: string };

async function run({ data, json }: Options): Promise<void> {
  const place = findPlace(data);
  const store = await openExistingStore(place);
  const take = place.kind === "folder" ? takeAlone : takeBesideHosts;
  const checkpoints: Taken[] = [];
  const leftOut: LeftOut[] = [];
  try {
    for await (const summary of listWorkflows(store)) {
      if (summary.head.seq === 0) continue;
      const outcome = await take(store, summary);
      if ("seq" in outcome) checkpoints.push(outcome);
      else leftOut.push(outcome);
      if (!json) console.log(inWords(outcome));
    }
    const shown = { ok: true, checkpoints, ...(leftOut.length > 0 && { leftOut }) };
    if (json) console.log(JSON.stringify(shown));
    else if (checkpoints.length === 0) console.log("no checkpoint was taken");
  } finally {
    await store.close();
  }
}

function inWords(outcome: Taken | LeftOut): string {
  const { workflow } = outcome;
  if ("seq" in outcome) return `${workflow}: checkpoint at record ${outcome.seq}`;
  return `${workflow}: left out, ${outcome.why}`;
}

/** Holding the folder's lock makes this process the owner of everything in it. */
async function takeAlone(store: Store, { workflow, epoch }: WorkflowSummary): Promise<Taken> {
  const owner = new WorkflowOwner(store, { workflow, epoch });
  const { head } = await owner.loadView();
  const executed = await takeCheckpoint(store, owner, Date.now());
  if (executed.kind !== "done") throw notTaken(workflow, executed);
  return { workflow, seq: head.seq + 1 };
}

const triesMax = 3;

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
