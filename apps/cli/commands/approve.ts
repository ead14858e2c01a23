import type { EditAnswer, QuestionAnswer, VerdictAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { example } from "../group.ts";
import { HostClient } from "../host-client.ts";
import { plain, print, timeText } from "../print.ts";
import { UsageError } from "../store-place.ts";

type Options = {
  readonly data?: string;
  readonly json: boolean;
  readonly payload?: string;
  readonly show: boolean;
};

export function approveCommand(): Command {
  const command = new Command("approve")
    .argument("<workflow>")
    .argument("<question>", "as `attention` lists it")
    .option("--show", "only show what would be agreed to", false)
    .option("--payload <hash>", "agree only if the call has this hash, as it was shown before")
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .action(run);
  return example(command, "approve orders a12 --show", "approve orders a12");
}

async function run(workflow: string, question: string, options: Options): Promise<void> {
  const { data, json, payload, show } = options;
  const client = new HostClient({ data });
  const path = questionPath(workflow, question);
  const shown = await client.get<QuestionAnswer>(path);
  const approval = shown.call?.approval ?? null;
  if (approval === null) throw new UsageError(`${question} is not about a call to agree to`);
  if (show) return print(json, shown, () => cardOf(shown).join("\n"));
  if (!json) for (const line of cardOf(shown)) console.log(line);
  const verdict = await client.post<VerdictAnswer>(path, {
    answer: "approve",
    payloadHash: payload ?? approval.payloadHash,
    previewHash: approval.previewHash,
  });
  print(json, verdict, () => verdict.note);
}

export function questionPath(workflow: string, question: string): string {
  return `/workflows/${encodeURIComponent(workflow)}/attention/${encodeURIComponent(question)}`;
}

/** All of it comes from the recorded call, but for what is marked as the script's own words. */
function cardOf({ call, inputs, edited, approvedBefore, note }: QuestionAnswer): readonly string[] {
  if (call === null) return [plain(note)];
  const { operation, target, params, title, guarantee, approval } = call;
  const about = inputs.map((input) => input.title).join(", ");
  const before =
    approvedBefore === null
      ? []
      : [
          `instead of  ${JSON.stringify(approvedBefore.params)}`,
          `which was   agreed to by ${approvedBefore.actor} ${timeText(approvedBefore.approvedAt)}`,
        ];
  return [
    `question    ${note}`,
    `call        ${approval?.preview ?? operation}`,
    `operation   ${operation} on ${target} (${guarantee})`,
    `parameters  ${JSON.stringify(params)}`,
    ...editLines(edited),
    ...before,
    ...(title === null ? [] : [`the script calls it  ${title}`]),
    ...(about === "" ? [] : [`because of  ${about}`]),
    `bytes       ${approval?.payloadHash}`,
    `until       ${timeText(approval?.expiresAt ?? null)}`,
    ...(approval?.fourEyes
      ? ["whoever deployed or proposed its version, or edited the call, may not agree to it"]
      : []),
  ].map(plain);
}

function editLines(edited: QuestionAnswer["edited"]): readonly string[] {
  if (edited === null) return [];
  const lines = edited.changes.map((each) => `  ${changeText(each)}`);
  return [`edited by   ${edited.by.join(", ")}, from what the script asked for:`, ...lines];
}

export function changeText({ at, from, to }: EditAnswer["changes"][number]): string {
  const text = (value: unknown) => (value === undefined ? "nothing" : JSON.stringify(value));
  return `${at === "" ? "all of it" : at}: ${text(from)} → ${text(to)}`;
}
