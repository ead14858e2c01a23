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

/** Holding the folder's lock makes this process the owner of everything in it. */
async function run({ data, json }: Options): Promise<void> {
  const store = await openExistingStore(data);
  try {
    const checkpoints: { workflow: string; seq: number }[] = [];
    for (const { workflow, epoch, head } of await store.listWorkflows(null, 1_000_000)) {
      if (head.seq === 0) continue;
      const owner = new WorkflowOwner(store, { workflow, epoch });
      const executed = await takeCheckpoint(store, owner, Date.now());
      if (executed.kind !== "done") throw notTaken(workflow, executed);
      checkpoints.push({ workflow, seq: head.seq + 1 });
      if (!json) console.log(`${workflow}: checkpoint at record ${head.seq + 1}`);
    }
    if (json) console.log(JSON.stringify({ ok: true, checkpoints }));
  } finally {
    await store.close();
  }
}

function notTaken(workflow: string, executed: Exclude<Executed, { kind: "done" }>): HostError {
  const unknown = executed.kind === "lost" && executed.answer.kind === "unknown";
  const why = executed.kind === "lost" ? executed.answer.kind : executed.refusal.note;
  return new HostError(unknown ? "STORE_IO" : "CHANGE_REFUSED", {
    what: `No checkpoint of ${workflow} was taken (${why}).`,
    remedy: "Run `holdfast verify --full` and look at what it reports.",
    retry: unknown ? "unknown" : "safe",
  });
}
