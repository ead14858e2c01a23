import { Command } from "commander";
import { durationMs } from "./duration.ts";
import { example, onHost } from "./group.ts";
import { HostClient } from "./host-client.ts";
import { print, table, timeText } from "./print.ts";

type Options = {
  readonly data?: string;
  readonly json: boolean;
  readonly status?: string;
  readonly after?: string;
  readonly limit?: string;
  readonly from?: string;
  readonly to?: string;
  readonly text?: string;
};

export type Row = Readonly<Record<string, unknown>>;
export type Answer = { readonly items: readonly Row[]; readonly next: string | null };

/** A column: its head, and what of a row it shows. */
export type Column = readonly [head: string, show: (row: Row) => string];

type Listing = {
  /** After the workflow in the address. */
  readonly path: string;
  /** The words of `--status`; absent = it has none. */
  readonly statuses?: string;
  readonly columns: readonly Column[];
  /** The status that is shown if none is named. */
  readonly first?: string;
  /** Can be narrowed by time and text. */
  readonly isNarrowed?: boolean;
  /** What else it can be narrowed by: a word and what it is. */
  readonly words?: Readonly<Record<string, string>>;
  /** All of it comes in one answer. */
  readonly isWhole?: boolean;
  /** What is asked for in any case. */
  readonly always?: Readonly<Record<string, string>>;
  readonly examples: readonly string[];
};

/** `holdfast … ls <workflow>`: a page of one list of the API. */
export function listing(name: string, description: string, given: Listing): Command {
  const { statuses, first, isNarrowed = false, words = {}, examples } = given;
  const command = onHost(new Command(name).description(description).argument("<workflow>"));
  if (statuses !== undefined) {
    command.option("--status <status>", `only these: ${statuses}, all (default ${first ?? "all"})`);
  }
  if (isNarrowed) {
    command
      .option("--from <time>", "from then on: 2026-01-31, 2026-01-31T12:00Z, or 12h ago as 12h")
      .option("--to <time>", "up to then")
      .option("--text <text>", "with this in an id or a title");
  }
  for (const [word, what] of Object.entries(words)) command.option(`--${word} <${word}>`, what);
  if (given.isWhole !== true) {
    command
      .option("--limit <count>", "so many at once")
      .option("--after <cursor>", "the page after this one");
  }
  command.action((workflow: string, options: Options) => list(workflow, options, given));
  return example(command, ...examples);
}

async function list(workflow: string, options: Options, given: Listing): Promise<void> {
  const { after, limit, from, to, text } = options;
  const named = options.status ?? given.first;
  const status = named === "all" ? undefined : named;
  const times = { from: from && String(timeOf(from)), to: to && String(timeOf(to)) };
  const words = Object.keys(given.words ?? {}).map((word) => [word, options[word as "text"]]);
  const narrowed = { ...times, ...Object.fromEntries(words), ...given.always };
  const query = { status, after, limit, text, ...narrowed };
  const path = `/workflows/${encodeURIComponent(workflow)}/${given.path}`;
  const answer = await new HostClient(options).get<Answer>(path, query);
  print(options.json, answer, () => shown(given.columns, answer));
}

/** A time as people write it, or so long ago. */
function timeOf(text: string): number {
  const at = Date.parse(text);
  return Number.isNaN(at) ? Date.now() - durationMs(text) : at;
}

function shown(columns: readonly Column[], { items, next }: Answer): string {
  const head = columns.map(([name]) => name);
  const rows = items.map((row) => columns.map(([, show]) => show(row)));
  const more = next === null ? "" : `\nMore: --after ${next}`;
  return `${table(head, rows)}${more}`;
}

/** Columns that show a field as it is. */
export function field(head: string, name: string): Column {
  return [head, (row) => textOf(row[name])];
}

export function time(head: string, name: string): Column {
  return [head, (row) => timeText(typeof row[name] === "number" ? (row[name] as number) : null)];
}

export function textOf(value: unknown): string {
  if (value === null || value === undefined) return "–";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function inputsOf(row: Row): string {
  const inputs = Array.isArray(row["inputs"]) ? (row["inputs"] as Row[]) : [];
  return inputs.map(({ title }) => textOf(title)).join(", ") || "–";
}

/** What a machine asks for is named by the host: its runs by their trigger, items by their job. */
function isOfMachine({ trigger, job }: Row): boolean {
  return trigger === "intent" || (typeof job === "string" && job.includes("/"));
}

/** The script's own words: what was really done is what the host says beside it. */
export const scriptTitle: Column = [
  "the script calls it",
  (row) => {
    const { title, preview } = row;
    const [own, hosts] = isOfMachine(row) ? [null, preview ?? title] : [title, preview];
    const said = typeof own === "string" ? JSON.stringify(own) : "–";
    return typeof hosts === "string" ? `${said} (by the host: ${hosts})` : said;
  },
];
