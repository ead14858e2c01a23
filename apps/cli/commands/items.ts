import type { JobItemAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { type AskOptions, ask, asking, common } from "../asking.ts";
import { example, group, onHost } from "../group.ts";
import { HostClient } from "../host-client.ts";
import { field, listing, type Row, scriptTitle, time } from "../listing.ts";
import { print, table, timeText } from "../print.ts";

type Options = { readonly data?: string; readonly json: boolean };

/** What the jobs of a workflow work on. */
export function itemsCommand(): Command {
  return group("items", [
    listing("ls", "items, the newest first", {
      path: "items",
      statuses: "processing, done, failed, skipped, needs_attention",
      isNarrowed: true,
      words: { job: "of this job" },
      columns: [
        field("item", "itemId"),
        field("job", "job"),
        ["status", statusText],
        field("attempt", "attempt"),
        time("changed", "updatedAt"),
        scriptTitle,
      ],
      examples: ["items ls renewals --status failed", "items renewals --text k1"],
    }),
    showCommand(),
    reprocessCommand(),
    asking("skip", "give an item up; what it has done stays done", {
      kind: "skip_item",
      words: ["<item>"],
      body: ([itemId = ""]) => ({ itemId }),
      example: "items skip renewals contract:k1",
    }),
    asking("fresh", "begin a new attempt of every item of a job", {
      kind: "start_fresh",
      words: ["<job>"],
      body: ([handler = ""]) => ({ handler }),
      example: "items fresh renewals renew",
    }),
  ]);
}

function statusText({ status, startsFresh, isOrphan }: Row): string {
  return `${status}${startsFresh ? " (starts fresh)" : ""}${isOrphan ? " (left behind)" : ""}`;
}

function reprocessCommand(): Command {
  const command = new Command("reprocess")
    .description("begin a new attempt of items: their calls are made again")
    .argument("<workflow>")
    .argument("<item...>")
    .action((workflow: string, itemIds: readonly string[], options: AskOptions) =>
      ask(workflow, { kind: "reprocess_items", body: { itemIds: [...itemIds] } }, options),
    );
  return example(common(command), "items reprocess renewals contract:k1 contract:k2");
}

function showCommand(): Command {
  const command = new Command("show")
    .description("one item, its attempts and what each has done")
    .argument("<workflow>")
    .argument("<item>")
    .action(async (workflow: string, itemId: string, options: Options) => {
      const path = `/workflows/${encodeURIComponent(workflow)}/items/${encodeURIComponent(itemId)}`;
      const answer = await new HostClient(options).get<JobItemAnswer>(path, {});
      print(options.json, answer, () => shownItem(answer));
    });
  return example(onHost(command), "items show renewals contract:k1");
}

function shownItem({ itemId, job, status, title, attempts }: JobItemAnswer): string {
  const lines = [`${itemId} of ${job}: ${status}. The script calls it ${JSON.stringify(title)}.`];
  for (const { attempt, versions, calls } of attempts) {
    const by = versions.length === 0 ? "" : ` (version ${versions.join(", ")})`;
    lines.push("", `Attempt ${attempt}${by}`);
    const rows = calls.map(({ mutationId, operation, target, state, recordedAt }) => [
      mutationId,
      `${operation} ${target}`,
      state,
      timeText(recordedAt),
    ]);
    lines.push(rows.length === 0 ? "No calls." : table(["call", "what", "state", "when"], rows));
  }
  return lines.join("\n");
}
