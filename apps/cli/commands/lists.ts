import { Command } from "commander";
import { HostClient } from "../host-client.ts";
import { print, table, timeText } from "../print.ts";

type Options = {
  readonly data?: string;
  readonly json: boolean;
  readonly status?: string;
  readonly after?: string;
  readonly limit?: string;
};

export type Row = Readonly<Record<string, unknown>>;
type Answer = { readonly items: readonly Row[]; readonly next: string | null };

/** A column: its head, and what of a row it shows. */
type Column = readonly [head: string, show: (row: Row) => string];

type Listing = {
  readonly statuses: string;
  readonly columns: readonly Column[];
  /** The status that is shown if none is named. */
  readonly first?: string;
};

function listing(
  name: string,
  description: string,
  { statuses, columns, first }: Listing,
): Command {
  return new Command(name)
    .description(description)
    .argument("<workflow>")
    .option("--status <status>", `only these: ${statuses}, all (default ${first ?? "all"})`)
    .option("--limit <count>", "so many at once")
    .option("--after <cursor>", "the page after this one")
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .action(async (workflow: string, options: Options) => {
      const { after, limit } = options;
      const named = options.status ?? first;
      const status = named === "all" ? undefined : named;
      const path = `/workflows/${encodeURIComponent(workflow)}/${name}`;
      const answer = await new HostClient(options).get<Answer>(path, { status, after, limit });
      print(options.json, answer, () => shown(columns, answer));
    });
}

function shown(columns: readonly Column[], { items, next }: Answer): string {
  const head = columns.map(([name]) => name);
  const rows = items.map((row) => columns.map(([, show]) => show(row)));
  const more = next === null ? "" : `\nMore: --after ${next}`;
  return `${table(head, rows)}${more}`;
}

/** Columns that show a field as it is. */
function field(head: string, name: string): Column {
  return [head, (row) => textOf(row[name])];
}

function time(head: string, name: string): Column {
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

/** The script's own words: what was really done is what the host says beside it. */
const scriptTitle: Column = [
  "the script calls it",
  ({ title }) => (typeof title === "string" ? JSON.stringify(title) : "–"),
];

export function listCommands(): readonly Command[] {
  return [
    listing("inputs", "what came in, and what became of it", {
      statuses: "pending, done, skipped",
      columns: [
        time("came in", "createdAt"),
        [
          "status",
          ({ status, isStale }) => `${textOf(status)}${isStale === true ? " (stale)" : ""}`,
        ],
        field("outputs", "outputsDone"),
        field("input", "inputId"),
        field("title", "title"),
      ],
    }),
    listing("outputs", "what was done outside and published, and which inputs caused it", {
      statuses: "mutation, event",
      columns: [
        time("when", "at"),
        field("kind", "kind"),
        [
          "what",
          ({ kind, operation, target, outputId }) =>
            kind === "mutation" ? `${textOf(operation)} ${textOf(target)}` : textOf(outputId),
        ],
        scriptTitle,
        ["because of", inputsOf],
      ],
    }),
    listing("runs", "every attempt of every handler, the newest first", {
      statuses: "open, committed, failed:logic, paused:transient, …",
      columns: [
        field("run", "runId"),
        field("handler", "handler"),
        field("phase", "phase"),
        field("status", "status"),
        time("started", "startedAt"),
        scriptTitle,
      ],
    }),
  ];
}
