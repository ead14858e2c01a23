import type { CommandRequest, VerdictAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { example, onHost } from "./group.ts";
import { HostClient } from "./host-client.ts";
import { print } from "./print.ts";
import { UsageError } from "./store-place.ts";
import { wholeNumber } from "./whole-number.ts";

export type AskOptions = {
  readonly data?: string;
  readonly json: boolean;
  readonly key?: string;
  readonly waitMs?: string;
};

/** What a command of the line means to the workflow's owner. */
type Meaning = (words: readonly string[], options: Readonly<Record<string, string>>) => Body;
export type Body = NonNullable<CommandRequest["body"]>;

type Asking = {
  readonly words?: readonly string[];
  readonly kind: string;
  readonly body?: Meaning;
  readonly example: string;
};

/** `holdfast … <name> <workflow> …` for one command of the inbox. */
export function asking(
  name: string,
  description: string,
  { words = [], kind, body = () => ({}), example: line }: Asking,
): Command {
  const command = common(new Command(name).description(description).argument("<workflow>"));
  example(command, line);
  for (const word of words) command.argument(word);
  return command.action(async (workflow: string, ...given: unknown[]) => {
    const texts = given.slice(0, words.length).filter((each) => typeof each === "string");
    const options = command.opts<AskOptions & Readonly<Record<string, string>>>();
    await ask(workflow, { kind, body: body(texts, options) }, options);
  });
}

export function common(command: Command): Command {
  return onHost(command)
    .option("--key <key>", "idempotency key: the same key is the same command")
    .option("--wait-ms <ms>", "how long to wait for the verdict", wholeNumber);
}

export async function ask(
  workflow: string,
  command: CommandRequest,
  options: AskOptions,
): Promise<void> {
  const { data, json, key, waitMs } = options;
  const client = new HostClient({ data });
  const path = `/workflows/${encodeURIComponent(workflow)}/commands`;
  const verdict = await client.post<VerdictAnswer>(path, command, {
    ...(key === undefined ? {} : { key }),
    ...(waitMs === undefined ? {} : { waitMs: Number(waitMs) }),
  });
  print(json, verdict, () => verdict.note);
}

export function parsed(text: string | undefined, what: string): Body[string] {
  try {
    return JSON.parse(text ?? "") as Body[string];
  } catch {
    throw new UsageError(`${what} is not JSON: ${text}`);
  }
}
