import { Command } from "commander";
import { example, onHost } from "./group.ts";
import { HostClient } from "./host-client.ts";
import { type Row, textOf } from "./listing.ts";
import { plain, print } from "./print.ts";

type Options = { readonly data?: string; readonly json: boolean };

type Showing = {
  /** After the workflow, in the order of the address. */
  readonly words: readonly string[];
  readonly path: (words: readonly string[]) => string;
  readonly example: string;
};

/** `holdfast … show <workflow> …`: one thing of the API, a line for each of its fields. */
export function showing(name: string, description: string, given: Showing): Command {
  const command = onHost(new Command(name).description(description).argument("<workflow>"));
  for (const word of given.words) command.argument(word);
  command.action(async (workflow: string, ...rest: readonly unknown[]) => {
    const options = command.opts<Options>();
    const texts = rest.slice(0, given.words.length).map((word) => encodeURIComponent(String(word)));
    const path = `/workflows/${encodeURIComponent(workflow)}${given.path(texts)}`;
    const found = await new HostClient(options).get<Row>(path);
    print(options.json, found, () => fieldsOf(found).map(plain).join("\n"));
  });
  return example(command, given.example);
}

const namesPadded = 18;

/** Lists have a line for each of what is in them. */
function fieldsOf(row: Row): readonly string[] {
  return Object.entries(row).flatMap(([name, value]) => {
    const head = name.padEnd(namesPadded);
    if (!Array.isArray(value) || value.length === 0 || typeof value[0] !== "object") {
      return [`${head} ${/At$/.test(name) ? timeOf(value) : textOf(value)}`];
    }
    return [name, ...value.map((each) => `  ${textOf(each)}`)];
  });
}

function timeOf(value: unknown): string {
  return typeof value === "number" ? new Date(value).toISOString() : textOf(value);
}
