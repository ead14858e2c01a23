import { HostError } from "@holdfast/core";
import { type Executed, takeCheckpoint, WorkflowOwner } from "@holdfast/host";
import { Command } from "commander";
import { defaultFolder, openExistingStore } from "../open-store.ts";

type Options = { readonly data: string; readonly json: boolean };

export function checkpointCommand(): Command {
  return new Command("checkpoint")
    .description("record the state of every table, so that the next verify starts from here")
    .option("--data <folder>", "data folder", defaultFolder)
    .option("--json", "one line of JSON", false)
    .action(run);
}

/** More than one machine's folder will ever hold. */
const workflowsMax = 1_000_000;

/** Holding the folder's lock makes this process the owner of everything in it. */
async function run({ data, json }: Options): Promise<void> {
  const store = await openExistingStore(data);
  try {
    const checkpoints: { workflow: string; seq: number }[] = [];
    for (const { workflow, epoch, head } of await store.listWorkflows(null, workflowsMax)) {
      if (head.seq === 0) continue;
      const owner = new WorkflowOwner(store, { workflow, epoch });
      const executed = await takeCheckpoint(store, owner, Date.now());
      if (executed.kind !== "done") throw notTaken(workflow, executed);
      checkpoints.push({ workflow, seq: head.seq + 1 });
      if (!json) console.log(`${workflow}: checkpoint at record ${head.seq + 1}`);
    }
    if (json) console.log(JSON.stringify({ ok: true, checkpoints }));
    else if (checkpoints.length === 0) console.log("there is nothing to checkpoint yet");
  } finally {
    await store.close();
  }
}

function notTaken(workflow: string, executed: Exclude<Executed, { kind: "done" }>): HostError {
  const unknown = executed.kind === "lost" && executed.answer.kind === "unknown";
  const why = executed.kind === "lost" ? inWords(executed.answer) : executed.refusal.note;
  return new HostError(unknown ? "STORE_IO" : "CHANGE_REFUSED", {
    what: `No checkpoint of ${workflow} was taken (${why}).`,
    remedy: "Run `holdfast verify --full` and look at what it reports.",
    retry: unknown ? "unknown" : "safe",
  });
}

function inWords(answer: Extract<Executed, { kind: "lost" }>["answer"]): string {
  if (answer.kind !== "refused") return answer.kind;
  return `refused by ${answer.constraint}: ${answer.note}`;
}
