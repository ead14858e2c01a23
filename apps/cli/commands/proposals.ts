import { readFileSync } from "node:fs";
import type {
  DeployAnswer,
  DeployRequest,
  ObstaclesAnswer,
  ProposalAnswer,
  ShadowAnswer,
  ShadowReportAnswer,
  ShadowRequestBody,
  VerdictAnswer,
} from "@holdfast/protocol";
import { cellName } from "@holdfast/protocol/cell-name";
import { Command } from "commander";
import { parsed } from "../asking.ts";
import { example, onHost } from "../group.ts";
import { HostClient } from "../host-client.ts";
import { field, listing } from "../listing.ts";
import { plain, print } from "../print.ts";
import { readScript } from "../read-script.ts";
import { UsageError } from "../store-place.ts";
import { wholeNumber } from "../whole-number.ts";

type Options = { readonly data?: string; readonly json: boolean };

/** Versions that change what machines are: proposed, tried, agreed to and applied. */
export function proposalCommands(): readonly Command[] {
  return [
    proposeCommand(),
    listing("proposals", "versions that were proposed, the newest first", {
      path: "machines/proposals",
      isWhole: true,
      columns: [
        field("number", "number"),
        field("status", "status"),
        field("version", "version"),
        field("by", "author"),
        field("changes", "changes"),
      ],
      examples: ["machine proposals orders"],
    }),
    showCommand(),
    shadowCommand(),
    decideCommand("approve", "agree to a proposal that was tried"),
    decideCommand("reject", "turn a proposal down, for good"),
    applyCommand(),
  ];
}

function pathOf(workflow: string, number: string): string {
  return `/workflows/${encodeURIComponent(workflow)}/machines/proposals/${number}`;
}

type ProposeOptions = {
  readonly description?: string;
  readonly minor: boolean;
  readonly keepGrants: boolean;
};

function proposeCommand(): Command {
  const command = onHost(
    new Command("propose").description("submit a version that is to be tried before it is active"),
  )
    .argument("<file>", "the script; files it imports are taken from its folder")
    .option("--description <text>", "what for")
    .option("--minor", "a minor version: topics and handlers stay as they are", false)
    .option("--keep-grants", "they hold for connections that lead to other accounts too", false)
    .action(async (file: string, given: Options & ProposeOptions) => {
      const { description, minor, keepGrants, ...options } = given;
      const { entry, files } = readScript(file);
      const request: DeployRequest = {
        source: { entry, files: { ...files } },
        bump: minor ? "minor" : "major",
        keepGrants,
        propose: true,
        ...(description === undefined ? {} : { description }),
      };
      const answer = await new HostClient(options).post<DeployAnswer>("/versions", request);
      print(options.json, answer, () => answer.note);
    });
  return example(command, "machine propose orders.ts --description 'two calls'");
}

function showCommand(): Command {
  const command = onHost(
    new Command("proposal").description("one proposal, with what stands in its way now"),
  )
    .argument("<workflow>")
    .argument("<number>")
    .action(async (workflow: string, number: string, options: Options) => {
      const found = await new HostClient(options).get<ProposalAnswer>(pathOf(workflow, number));
      print(options.json, found, () => sayProposal(found));
    });
  return example(command, "machine proposal orders 3");
}

function sayProposal({ number, status, version, changes, report, ...rest }: ProposalAnswer) {
  const { author, obstacles, base, patchHash, patch } = rest;
  return [
    `Proposal ${number} (${version}, by ${author}): ${status}`,
    `  against ${base}, as ${patchHash}`,
    ...changes.map((each) => `  ${each}`),
    ...patch.ops.map(({ op, kind, name, preHash, hash }) => {
      return `  ${op} ${kind} ${name}: ${preHash ?? "–"} → ${hash ?? "–"}`;
    }),
    `  touches ${patch.sections.join(", ") || "nothing"}`,
    ...(obstacles === null ? [] : sayObstacles(obstacles)),
    ...(report === null ? [] : sayReport(report)),
  ]
    .map(plain)
    .join("\n");
}

function shadowCommand(): Command {
  const command = onHost(
    new Command("shadow").description("try a proposal on a copy; nothing is sent"),
  )
    .argument("<workflow>")
    .argument("<number>")
    .option("--recent <count>", "so many of the newest events are run again (20)", wholeNumber)
    .option("--seeds <file>", "JSON: events to run, for topics or cells")
    .option("--receipts <file>", "JSON: what each effect is answered with, by its name")
    .action(async (workflow: string, number: string, given: Options & ShadowOptions) => {
      const { recent, seeds, receipts, ...options } = given;
      const request: ShadowRequestBody = {
        ...(recent === undefined ? {} : { recent: Number(recent) }),
        ...(seeds === undefined ? {} : { seeds: jsonIn(seeds) as never }),
        ...(receipts === undefined ? {} : { receipts: jsonIn(receipts) as never }),
      };
      const client = new HostClient(options);
      const answer = await client.post<ShadowAnswer>(`${pathOf(workflow, number)}/shadow`, request);
      print(options.json, answer, () => sayReport(answer.report).map(plain).join("\n"));
    });
  return example(command, "machine shadow orders 3 --recent 50 --receipts receipts.json");
}

type ShadowOptions = {
  readonly recent?: string;
  readonly seeds?: string;
  readonly receipts?: string;
};

function jsonIn(file: string): unknown {
  try {
    return parsed(readFileSync(file, "utf8"), file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} cannot be read`);
  }
}

function sayReport(report: ShadowReportAnswer): readonly string[] {
  const { effects, pending, deltas, faults, obstacles, horizon } = report;
  return [
    `Effects: ${effects.length}, left open: ${pending.length}, faults: ${faults.length}`,
    ...effects.map(({ effect, cell, params, answered }) => {
      const asked = `${effect} of ${cellName(cell)} ${JSON.stringify(params)}`;
      return `  ${asked}: ${answered ?? "not answered"}`;
    }),
    ...faults.map(({ cell, code }) => `  ${code} in ${cellName(cell)}`),
    `Cells that end otherwise: ${deltas.length}`,
    ...deltas.flatMap(({ cell, changes, before, after }) => [
      `  ${cellName(cell)}: ${before?.status ?? "not there"} → ${after?.status ?? "not there"}`,
      ...changes.map(({ at, from, to }) => {
        return `    ${at || "/"}: ${JSON.stringify(from) ?? "–"} → ${JSON.stringify(to) ?? "–"}`;
      }),
    ]),
    ...sayObstacles(obstacles),
    ...horizon.inputsRefused.map((each) => `Not taken: ${each}`),
    horizon.claim,
  ];
}

function sayObstacles({ items, left }: ObstaclesAnswer): readonly string[] {
  if (items.length === 0) return ["Nothing stands in its way."];
  return [
    "In its way:",
    ...items.map(({ why, cell, intentId, effect, note, next }) => {
      const name = cell === null ? null : cellName(cell);
      const about = [name, effect, intentId, note].filter((each) => each !== null && each !== "");
      return `  ${why}: ${about.join(" ")}; ${next}`;
    }),
    ...(left === 0 ? [] : [`  and ${left} more`]),
  ];
}

function decideCommand(says: "approve" | "reject", description: string): Command {
  const command = onHost(new Command(says).description(description))
    .argument("<workflow>")
    .argument("<number>")
    .option("--reason <text>", "why")
    .action(async (workflow: string, number: string, given: Options & { reason?: string }) => {
      const { reason = null, ...options } = given;
      const client = new HostClient(options);
      const { patchHash } = await client.get<ProposalAnswer>(pathOf(workflow, number));
      const body = { number: Number(number), patchHash, says, reason };
      const verdict = await give(client, workflow, { kind: "decide_version", body });
      print(options.json, verdict, () => verdict.note);
    });
  return example(command, `machine ${says} orders 3 --reason 'looked at'`);
}

function give(client: HostClient, workflow: string, command: object): Promise<VerdictAnswer> {
  const path = `/workflows/${encodeURIComponent(workflow)}/commands`;
  return client.post<VerdictAnswer>(path, command);
}

const lookMs = 50;

function applyCommand(): Command {
  const command = onHost(
    new Command("apply").description("apply an approved proposal, if nothing stands in its way"),
  )
    .argument("<workflow>")
    .argument("<number>")
    .option("--wait", "apply it by itself as soon as nothing stands in its way", false)
    .option("--within-ms <ms>", "how long to look what comes of it (10000)", wholeNumber)
    .action(async (workflow: string, number: string, given: Options & ApplyOptions) => {
      const { wait: waits, withinMs = "10000", ...options } = given;
      const client = new HostClient(options);
      const body = { number: Number(number), waits };
      await give(client, workflow, { kind: "apply_version", body });
      const found = await settled(client, pathOf(workflow, number), Number(withinMs));
      print(options.json, found, () => sayApplied(found).map(plain).join("\n"));
      if (found.status !== "applied" && !found.waits) process.exitCode = 1;
    });
  return example(command, "machine apply orders 3 --wait");
}

type ApplyOptions = { readonly wait: boolean; readonly withinMs?: string };

/** The machines say what comes of it when it is their turn. */
async function settled(client: HostClient, path: string, withinMs: number) {
  const until = performance.now() + withinMs;
  for (;;) {
    const found = await client.get<ProposalAnswer>(path);
    const isSaid = found.status !== "approved" || found.heldBy !== null;
    if (isSaid || performance.now() >= until) return found;
    await new Promise((resume) => setTimeout(resume, lookMs));
  }
}

function sayApplied({ number, version, status, heldBy, waits }: ProposalAnswer) {
  if (status === "applied") return [`Proposal ${number} is applied: ${version} is active.`];
  const then = waits ? "It is applied by itself when nothing is." : "It stays approved.";
  return [...(heldBy === null ? ["It has not come to its turn yet."] : sayObstacles(heldBy)), then];
}
