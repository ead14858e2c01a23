import { readFileSync } from "node:fs";
import type { EditAnswer, EditRequest, QuestionAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { HostClient } from "../host-client.ts";
import { plain, print } from "../print.ts";
import { UsageError } from "../store-place.ts";
import { changeText, questionPath } from "./approve.ts";

type Options = {
  readonly data?: string;
  readonly json: boolean;
  readonly params: string;
  readonly payload?: string;
  readonly preview: boolean;
};

export function editCommand(): Command {
  return new Command("edit")
    .argument("<workflow>")
    .argument("<question>", "as `attention` lists it")
    .requiredOption("--params <json>", "all parameters as they are to be sent; @file reads them")
    .option("--payload <hash>", "edit only if the call has this hash, as it was shown before")
    .option("--preview", "only tell what would change, and whether it could be made", false)
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .action(run);
}

async function run(workflow: string, question: string, options: Options): Promise<void> {
  const { json, preview, payload } = options;
  const params = readParams(options.params);
  const client = new HostClient(options);
  const path = questionPath(workflow, question);
  const shown = await client.get<QuestionAnswer>(path);
  const payloadHash = payload ?? shown.call?.approval?.payloadHash;
  if (payloadHash === undefined) throw new UsageError(`${question} is not about a call to edit`);
  const request: EditRequest = { params, payloadHash, preview };
  const answer = await client.post<EditAnswer>(`${path}/edit`, request);
  print(json, answer, () => told(answer, workflow));
}

function told({ changes, note, question }: EditAnswer, workflow: string): string {
  const next = question === null ? [] : [`asked now: holdfast approve ${workflow} ${question}`];
  return [...changes.map(changeText), ...(note === "" ? [] : [note]), ...next]
    .map(plain)
    .join("\n");
}

function readParams(given: string): EditRequest["params"] {
  const isFile = given.startsWith("@");
  try {
    const text = isFile ? readFileSync(given.slice(1), "utf8") : given;
    return JSON.parse(text) as EditRequest["params"];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === undefined ? "is not JSON" : `cannot be read: ${code}`;
    throw new UsageError(`${isFile ? given.slice(1) : "--params"} ${why}`);
  }
}
