import type {
  CellAnswer,
  CollectAnswer,
  MachineRecordsAnswer,
  MachineReplayAnswer,
  MachineTimelineAnswer,
  SnapshotAnswer,
} from "@holdfast/protocol";
import { Command } from "commander";
import { asking, type Body, parsed } from "../asking.ts";
import { durationText } from "../duration.ts";
import { example, group, onHost } from "../group.ts";
import { HostClient } from "../host-client.ts";
import { field, listing } from "../listing.ts";
import { plain, print, shownLines } from "../print.ts";
import { UsageError } from "../store-place.ts";
import { traceCommands } from "./machine-trace.ts";
import { proposalCommands } from "./proposals.ts";

type Options = { readonly data?: string; readonly json: boolean };
type StateOptions = Options & {
  readonly cell?: string;
  readonly at?: string;
  readonly atLeast?: string;
};
type PagedOptions = Options & { readonly after?: string; readonly limit?: string };

const whose = [field("machine", "machine"), field("key", "key")] as const;

/** What lists of cells are narrowed by. */
const cellList = {
  path: "machines/cells",
  statuses: "running, waiting, completed, failed",
  words: { machine: "only of this machine", text: "with this in the key" },
} as const;

const keyOption = [
  "--cell <key>",
  "the key of the cell, as JSON; without it the only one",
] as const;

/** State machines: what they are, what they wait for, and what can be said to them. */
export function machineCommand(): Command {
  return group("machine", [
    listing("ls", "the machines, with how much there is of each", {
      path: "machines",
      columns: [
        field("machine", "machine"),
        field("cells", "cells"),
        field("events waiting", "waiting"),
        field("open intents", "openIntents"),
        field("failed", "failed"),
      ],
      isWhole: true,
      examples: ["machine ls orders"],
    }),
    listing("cells", "the cells, with their statuses", {
      ...cellList,
      columns: [
        ...whose,
        field("status", "status"),
        field("state bytes", "stateBytes"),
        field("last event", "lastEvent"),
      ],
      examples: ["machine cells orders --status failed"],
    }),
    listing("instances", "the cells, with what waits for each and what it waits for", {
      ...cellList,
      columns: [
        ...whose,
        field("status", "status"),
        field("waiting", "waiting"),
        field("open intents", "openIntents"),
        field("version", "version"),
      ],
      examples: ["machine instances orders"],
    }),
    listing("intents", "what machines wait for, with its call in the ledger", {
      path: "machines/intents",
      isWhole: true,
      columns: [
        field("intent", "intentId"),
        ...whose,
        field("effect", "effect"),
        field("call", "mutationId"),
        field("state", "state"),
      ],
      examples: ["machine intents orders"],
    }),
    stateCommand(),
    journalCommand(),
    timelineCommand(),
    replayCommand(),
    snapshotCommand(),
    gcCommand(),
    ...toBeAsked(),
    ...proposalCommands(),
    ...traceCommands(),
  ]);
}

function toBeAsked(): readonly Command[] {
  return [
    asking("send", "an event for one cell, in the schema of its machine", {
      kind: "send_to_machine",
      words: ["<machine>", "<event>"],
      body: ([machine = "", event], options) => ({
        machine,
        key: cellOf(options),
        event: parsed(event, "the event") ?? null,
      }),
      example: `machine send orders order '{"Placed":{"id":"o-1"}}' --cell '"o-1"'`,
    }).option(...keyOption),
    asking("restart", "let a failed cell go on", {
      kind: "restart_cell",
      words: ["<machine>"],
      body: ([machine = ""], options) => ({
        machine,
        key: cellOf(options),
        poison: poisonOf(options),
      }),
      example: `machine restart orders order --cell '"o-1"' --drop`,
    })
      .option(...keyOption)
      .option("--redeliver", "with the event that it failed on (the default)")
      .option("--drop", "without the event that it failed on"),
    asking("cancel", "take an intent back, if nothing of it was sent", {
      kind: "cancel_intent",
      words: ["<intent>"],
      body: ([intentId = ""]) => ({ intentId }),
      example: "machine cancel orders 3f5a…",
    }),
  ];
}

function cellOf({ cell }: Readonly<Record<string, string>>): Body[string] {
  return cell === undefined ? null : parsed(cell, "the key of the cell");
}

function poisonOf({ drop, redeliver }: Readonly<Record<string, unknown>>): string {
  if (drop === undefined) return "redeliver";
  if (redeliver === undefined) return "drop";
  throw new UsageError("--drop is without the event, --redeliver with it: name one of them");
}

function pathOf(workflow: string, what: string): string {
  return `/workflows/${encodeURIComponent(workflow)}/machines/${what}`;
}

function stateCommand(): Command {
  const command = onHost(new Command("state").description("one cell, with its state"))
    .argument("<workflow>")
    .argument("<machine>")
    .option(...keyOption)
    .option("--at <number>", "as it was after this record")
    .option("--at-least <number>", "not before this record is there")
    .action(async (workflow: string, machine: string, given: StateOptions) => {
      const { cell: key, at, atLeast, ...options } = given;
      const query = { machine, key, at, atLeast };
      const path = pathOf(workflow, "state");
      const found = await new HostClient(options).get<CellAnswer>(path, query);
      const lines = JSON.stringify(found.state, null, 2).split("\n");
      print(options.json, found, () => shownLines(lines));
    });
  return example(command, `machine state orders order --cell '"o-1"'`);
}

function journalCommand(): Command {
  const command = onHost(new Command("journal").description("what the kernel has recorded"))
    .argument("<workflow>")
    .option("--after <number>", "those after this record")
    .option("--limit <count>", "so many at once")
    .action(async (workflow: string, { after, limit, ...options }: PagedOptions) => {
      const client = new HostClient(options);
      const path = pathOf(workflow, "journal");
      const found = await client.get<MachineRecordsAnswer>(path, { after, limit });
      const lines = found.items.map(({ seq, record }) => `${seq} ${JSON.stringify(record)}`);
      print(options.json, found, () => shownLines(lines));
    });
  return example(command, "machine journal orders --after 100");
}

function timelineCommand(): Command {
  const command = onHost(new Command("timeline").description("what happened to one cell, in order"))
    .argument("<workflow>")
    .argument("<machine>")
    .option(...keyOption)
    .option("--after <number>", "from after this record on")
    .option("--before <number>", "the newest first, from before this record; 0 is from the end")
    .option("--limit <count>", "so many at once")
    .action(async (workflow: string, machine: string, given: TimelineOptions) => {
      const { after, before, limit, cell: key, ...options } = given;
      const client = new HostClient(options);
      const query = { machine, key, after, before, limit };
      const found = await client.get<MachineTimelineAnswer>(pathOf(workflow, "timeline"), query);
      const goesOn = before === undefined ? "--after" : "--before";
      print(options.json, found, () => sayTimeline(found, goesOn));
    });
  return example(command, `machine timeline orders order --cell '"o-1"'`);
}

type TimelineOptions = PagedOptions & { readonly cell?: string; readonly before?: string };

function sayTimeline({ items, next }: MachineTimelineAnswer, goesOn: string): string {
  const lines = items.map(({ seq, at, kind, cause, record, note }) => {
    const when = at === null ? `after ${cause}` : new Date(at).toISOString();
    const said = note ?? saidOf(kind, record as Shown);
    return `${seq}  ${when}  ${kind.replaceAll("_", " ")}  ${said}`;
  });
  const more = next === null ? [] : [`more: ${goesOn} ${next}`];
  return shownLines([...lines, ...more]);
}

type Shown = { readonly [name: string]: unknown };

/** What tells one from another; the rest is in --json. */
function saidOf(kind: string, record: Shown): string {
  const words: Readonly<Record<string, readonly string[]>> = {
    event: ["topic", "value"],
    said: ["topic", "value"],
    step: ["done", "state_hash"],
    effect: ["effect", "params", "intent_hash"],
    receipt: ["status", "payload", "intent_hash"],
    frame: ["frame_kind", "payload", "intent_hash"],
    fault: ["name", "code", "error_code"],
    killed: ["reason"],
    cancel_asked: ["actor", "intent_hash"],
    restarted: ["actor", "poison"],
  };
  const shown = (words[kind] ?? []).flatMap((name) => {
    const value = record[name];
    if (value === undefined || value === null || value === false) return [];
    return [typeof value === "string" ? value : JSON.stringify(value)];
  });
  return shown.join("  ");
}

function snapshotCommand(): Command {
  const command = onHost(new Command("snapshot").description("take a snapshot of machines now"))
    .argument("<workflow>")
    .action(async (workflow: string, options: Options) => {
      const client = new HostClient(options);
      const found = await client.post<SnapshotAnswer>(pathOf(workflow, "snapshot"), {});
      print(options.json, found, () => saySnapshot(found));
      if (found.snapshot === null) process.exitCode = 1;
    });
  return example(command, "machine snapshot orders");
}

function saySnapshot({ snapshot }: SnapshotAnswer): string {
  if (snapshot === null) return "It is asked for, and its turn has not come yet.";
  const { ref, height, manifestHash, roots } = snapshot;
  return [
    `Snapshot ${ref} of record ${height}, version ${manifestHash}`,
    ...roots.map(({ machine, hash, cells }) => `  ${machine}: ${cells} cells, root ${hash}`),
  ]
    .map(plain)
    .join("\n");
}

function gcCommand(): Command {
  const command = onHost(
    new Command("gc").description("delete what was kept of cells and no kept snapshot names"),
  )
    .argument("<workflow>")
    .option("--dry-run", "only count it")
    .action(async (workflow: string, given: Options & { dryRun?: boolean }) => {
      const { dryRun: isDryRun = false, ...options } = given;
      const client = new HostClient(options);
      const found = await client.post<CollectAnswer>(pathOf(workflow, "gc"), { isDryRun });
      print(options.json, found, () => sayCollected(found));
    });
  return example(command, "machine gc orders --dry-run");
}

function sayCollected(found: CollectAnswer): string {
  const { snapshots, parts, unreachable, swept, blobs } = found;
  const kept = `${parts} parts, ${unreachable} of them in none of the last ${snapshots} snapshots`;
  const lines = [`${kept}; deleted: ${swept}`];
  const { unsure } = blobs;
  const named = `${blobs.parts} blobs and edges, ${blobs.unreachable} of them named by nothing`;
  if (blobs.parts > 0) lines.push(`${named}; deleted: ${blobs.swept}`);
  if (unsure !== null) lines.push(plain(`No blob was deleted: ${unsure}.`));
  return [...lines, ...sayGrace(found)].join("\n");
}

function sayGrace({ unreachable, waiting, graceMs, blobs }: CollectAnswer): readonly string[] {
  const grace = `${durationText(graceMs)} (machinePartGraceMs)`;
  if (waiting === null) {
    if (unreachable + blobs.unreachable === 0) return [];
    return [`Without --dry-run, what was written in the last ${grace} would stay all the same.`];
  }
  const all = waiting + (blobs.waiting ?? 0);
  if (all === 0) return [];
  return [`${all} wait out their time of grace: they were written in the last ${grace}.`];
}

function replayCommand(): Command {
  const command = onHost(
    new Command("replay").description("run the whole journal again and compare every byte"),
  )
    .argument("<workflow>")
    .action(async (workflow: string, options: Options) => {
      const client = new HostClient(options);
      const found = await client.get<MachineReplayAnswer>(pathOf(workflow, "replay"), {});
      print(options.json, found, () => sayReplay(found));
      if (!found.ok) process.exitCode = 1;
    });
  return example(command, "machine replay orders");
}

function sayReplay(found: MachineReplayAnswer): string {
  if (found.ok) return `${found.records} records, each as it was recorded; image ${found.image}`;
  return `It goes another way at record ${found.seq}: ${found.code}`;
}
