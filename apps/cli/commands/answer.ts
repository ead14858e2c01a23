import type { VerdictAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { example } from "../group.ts";
import { HostClient } from "../host-client.ts";
import { print } from "../print.ts";
import { UsageError } from "../store-place.ts";

type Options = {
  readonly data?: string;
  readonly json: boolean;
  readonly then?: string;
  readonly result?: string;
  readonly reason?: string;
  readonly payload?: string;
  readonly insist: boolean;
};

export function answerCommand(): Command {
  const command = new Command("answer")
    .description("answer an open question")
    .argument("<workflow>")
    .argument("<question>", "as `attention` lists it")
    .argument("<answer>", "one of those the question allows")
    .option("--then <way>", "after did_not_happen: prepare or replay; after reject: skip or stop")
    .option("--result <json>", "of happened: what the service would have answered")
    .option("--reason <text>", "of reject")
    .option("--payload <hash>", "of accept_cached: the parameters you were shown")
    .option("--insist", "the service says otherwise, and you are sure all the same", false)
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .action(run);
  return example(
    command,
    "answer orders a12 try_again",
    "answer orders a12 did_not_happen --then replay",
    `answer orders a12 happened --result '{"number":"B-1"}'`,
  );
}

async function run(
  workflow: string,
  question: string,
  answer: string,
  { data, json, then, result, reason, payload, insist }: Options,
): Promise<void> {
  const given = {
    answer,
    ...(then === undefined ? {} : { then }),
    ...(result === undefined ? {} : { result: parsed(result) }),
    ...(reason === undefined ? {} : { reason }),
    ...(payload === undefined ? {} : { payloadHash: payload }),
    ...(insist ? { insist } : {}),
  };
  const [of, about] = [encodeURIComponent(workflow), encodeURIComponent(question)];
  const client = new HostClient({ data });
  const verdict = await client.post<VerdictAnswer>(`/workflows/${of}/attention/${about}`, given);
  print(json, verdict, () => verdict.note);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--result is not JSON: ${text}`);
  }
}
