import type { MachineSummaryAnswer, MachineTraceAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { example, onHost } from "../group.ts";
import { HostClient } from "../host-client.ts";
import { plain, print } from "../print.ts";

type Options = { readonly data?: string; readonly json: boolean };
type TraceOptions = Options & {
  readonly event?: string;
  readonly intent?: string;
  readonly topic?: string;
  readonly path?: string;
  readonly value?: string;
};

/** What came of something, why it is as it is, and how much there is of everything. */
export function traceCommands(): readonly Command[] {
  return [
    tracing("trace", "all that came of one event or intent", sayTrace),
    tracing("diagnose", "why it is as it is, and what to do next", sayDiagnosis),
    summaryCommand(),
  ];
}

function pathOf(workflow: string, what: string): string {
  return `/workflows/${encodeURIComponent(workflow)}/machines/${what}`;
}

function tracing(
  name: string,
  description: string,
  say: (found: MachineTraceAnswer) => readonly string[],
): Command {
  const command = onHost(new Command(name).description(description).argument("<workflow>"))
    .option("--event <number|hash>", "an event, by the number of its record or its hash")
    .option("--intent <hash>", "an intent")
    .option("--topic <topic>", "the newest event of a topic, with --path and --value")
    .option("--path <path>", "where in the event, with dots")
    .option("--value <value>", "what stands there")
    .action(async (workflow: string, { data, json, ...query }: TraceOptions) => {
      const client = new HostClient({ data });
      const found = await client.get<MachineTraceAnswer>(pathOf(workflow, "trace"), query);
      print(json, found, () => say(found).map(plain).join("\n"));
    });
  return example(command, `machine ${name} orders --topic order.placed --path id --value o-1`);
}

function sayTrace(found: MachineTraceAnswer): readonly string[] {
  const { items, window, state } = found;
  return [
    ...items.map(
      ({ seq, kind, cause }) => `${seq}  ${kind}${cause === null ? "" : `  of ${cause}`}`,
    ),
    `${window.count} records from ${window.from} to ${window.to}: ${state}`,
    ...sayDiagnosis(found),
  ];
}

function sayDiagnosis({ diagnosis, waits }: MachineTraceAnswer): readonly string[] {
  const { cause, note, next, intentId } = diagnosis;
  const which = intentId === null ? "" : ` (${intentId})`;
  return [
    `${cause}: ${note}${which}`,
    `Open: ${waits.intents.length} intents, ${waits.waiting} events waiting`,
    `Next: ${next}`,
  ];
}

function summaryCommand(): Command {
  const command = onHost(
    new Command("summary").description("how much there is of everything machines did"),
  )
    .argument("<workflow>")
    .action(async (workflow: string, options: Options) => {
      const client = new HostClient(options);
      const found = await client.get<MachineSummaryAnswer>(pathOf(workflow, "summary"));
      const lines = Object.entries(found).map(([name, value]) => `${name}: ${shown(value)}`);
      print(options.json, found, () => lines.map(plain).join("\n"));
    });
  return example(command, "machine summary orders");
}

function shown(value: number | Readonly<Record<string, number>>): string {
  if (typeof value === "number") return String(value);
  const all = Object.entries(value).map(([word, count]) => `${count} ${word}`);
  return all.length === 0 ? "none" : all.join(", ");
}
