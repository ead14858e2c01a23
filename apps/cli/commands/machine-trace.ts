import type { MachineSummaryAnswer, MachineTraceAnswer } from "@holdfast/protocol";
import { cellName } from "@holdfast/protocol/cell-name";
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
  readonly window?: string;
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
    .option("--window <records>", "so many of it, the newest (400)")
    .action(async (workflow: string, { data, json, ...query }: TraceOptions) => {
      const client = new HostClient({ data });
      const found = await client.get<MachineTraceAnswer>(pathOf(workflow, "trace"), query);
      print(json, found, () => say(found).map(plain).join("\n"));
    });
  return example(command, `machine ${name} orders --topic order.placed --path id --value o-1`);
}

function sayTrace(found: MachineTraceAnswer): readonly string[] {
  const { items, window, state, waits } = found;
  return [
    ...items.map(
      ({ seq, kind, cause }) => `${seq}  ${wordOf(kind)}${cause === null ? "" : `  of ${cause}`}`,
    ),
    `${window.count} records from ${window.from} to ${window.to}: ${state}`,
    ...waits.instances.map(({ cell, status }) => `${cellName(cell)}  ${status}`),
    ...waits.intents.map(
      ({ intentId, effect, cell, age }) =>
        `${cellName(cell)}  waits for ${effect}, asked for ${age} records ago  ${intentId}`,
    ),
    ...sayDiagnosis(found),
  ];
}

/** What was sent is not taken back by it: the receipt says what came of it. */
function wordOf(kind: string): string {
  return kind === "cancel" ? "cancel asked" : kind;
}

function sayDiagnosis({ diagnosis, waits }: MachineTraceAnswer): readonly string[] {
  const { cause, note, next, seq, intentId, eventHash } = diagnosis;
  const where = [seq === null ? null : `record ${seq}`, intentId ?? eventHash];
  const which = where.filter((each) => each !== null).join(", ");
  const { intents, waiting, queued, pending, quiescence } = waits;
  return [
    `${cause}: ${note}${which === "" ? "" : ` (${which})`}`,
    `Open: ${intents.length} intents, ${waiting} waiting in mailboxes (${queued} queued), ` +
      `${pending} outcomes pending`,
    sayQuiescence(quiescence),
    `Next: ${next}`,
  ];
}

/** Of the whole workflow: what else is under way may be what it waits for. */
function sayQuiescence({ isStrict, ...under }: MachineTraceAnswer["waits"]["quiescence"]): string {
  if (isStrict) return "Machines: nothing is under way";
  const some = Object.entries(under).filter(([, count]) => count > 0);
  return `Machines: under way are ${some.map(([what, count]) => `${count} ${what}`).join(", ")}`;
}

function summaryCommand(): Command {
  const command = onHost(
    new Command("summary").description("how much there is of everything machines did"),
  )
    .argument("<workflow>")
    .action(async (workflow: string, options: Options) => {
      const client = new HostClient(options);
      const found = await client.get<MachineSummaryAnswer>(pathOf(workflow, "summary"));
      print(options.json, found, () => saySummary(found).map(plain).join("\n"));
    });
  return example(command, "machine summary orders");
}

function saySummary({ journal, routes, waits, ...counts }: MachineSummaryAnswer) {
  const { from, to, snapshot } = journal;
  const at = snapshot === null ? "no snapshot" : `snapshot at ${snapshot}`;
  return [
    ...Object.entries(counts).map(([name, value]) => `${name}: ${shown(value)}`),
    `journal: from ${from} to ${to}, ${at}`,
    ...routes.map(
      ({ effect, module, entrypoint, intents, open }) =>
        `route: ${effect} to ${module} ${entrypoint}, ${intents} intents, ${open} open`,
    ),
    sayQuiescence(waits),
  ];
}

function shown(value: number | Readonly<Record<string, number>>): string {
  if (typeof value === "number") return String(value);
  const all = Object.entries(value).map(([word, count]) => `${count} ${word}`);
  return all.length === 0 ? "none" : all.join(", ");
}
