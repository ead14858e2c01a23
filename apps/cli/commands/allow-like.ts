import type { AllowLikeAnswer, AllowLikeRequest } from "@holdfast/protocol";
import { Command } from "commander";
import { HostClient } from "../host-client.ts";
import { plain, print } from "../print.ts";
import { UsageError } from "../store-place.ts";
import { questionPath } from "./approve.ts";

type Options = {
  readonly data?: string;
  readonly json: boolean;
  readonly text: readonly string[];
  readonly max: readonly string[];
  readonly where: readonly string[];
  readonly limit: readonly string[];
  readonly amount?: string;
  readonly until: string;
  readonly preview: boolean;
};

export function allowLikeCommand(): Command {
  return new Command("allow-like")
    .description("allow calls like the one a question is about, within limits and for a time")
    .argument("<workflow>")
    .argument("<question>", "of an approval, as `attention` lists it")
    .option(
      "--text <pointer...>",
      "what may be any text, such as /ref; all else stays as it is",
      [],
    )
    .option("--max <pointer=number...>", "what may be any number from 0 up to this", [])
    .option("--where <json...>", "what may differ, as a constraint of a grant", [])
    .requiredOption("--limit <per=count...>", "such as day=20, or day=20:1000 of an amount")
    .option("--amount <pointer>", "where the amount stands, if no grant says so yet")
    .requiredOption("--until <time>", "when it ends: from then on it is asked again")
    .option("--preview", "only tell what would be allowed", false)
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .action(run);
}

async function run(workflow: string, question: string, options: Options): Promise<void> {
  const { json, amount, until: expiresAt, preview } = options;
  const where = [
    ...options.text.map((at) => ({ at, prefix: "" })),
    ...options.max.map(rangeIn),
    ...options.where.map(constraintIn),
  ];
  const limits = options.limit.map(limitIn);
  const named = amount === undefined ? {} : { amount };
  const request: AllowLikeRequest = { where, limits, expiresAt, preview, ...named };
  const path = `${questionPath(workflow, question)}/allow-like`;
  const answer = await new HostClient(options).post<AllowLikeAnswer>(path, request);
  print(json, answer, () => told(answer, { workflow, question, preview }));
}

function told(
  { rule, note }: AllowLikeAnswer,
  { workflow, question, preview }: { workflow: string; question: string; preview: boolean },
): string {
  const waits = `the call itself still waits: holdfast approve ${workflow} ${question}`;
  const lines = preview ? [`would be added: ${rule}`] : [`+ ${rule}`, note, waits];
  return lines.map(plain).join("\n");
}

function rangeIn(given: string) {
  const [, at = "", number = ""] = /^(.*)=([^=]+)$/s.exec(given) ?? [];
  const max = Number(number);
  if (!at.startsWith("/") || !Number.isFinite(max)) {
    throw new UsageError(`--max ${given}: it is like /body/sum=100`);
  }
  return { at, min: 0, max };
}

function limitIn(given: string): AllowLikeRequest["limits"][number] {
  const [, per = "", count = "", amount] = /^(\w+)=(\d+)(?::([\d.]+))?$/.exec(given) ?? [];
  if (per === "") throw new UsageError(`--limit ${given}: it is like day=20 or day=20:1000`);
  return { per, count: Number(count), ...(amount === undefined ? {} : { amount: Number(amount) }) };
}

function constraintIn(given: string): AllowLikeRequest["where"][number] {
  try {
    const read: unknown = JSON.parse(given);
    if (typeof read === "object" && read !== null) return read as AllowLikeRequest["where"][number];
  } catch {
    // Said below, with what it has to be.
  }
  throw new UsageError(`--where ${given}: it is like '{"at":"/body/sum","max":100}'`);
}
