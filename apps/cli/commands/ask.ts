import type { CommandRequest, VerdictAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { HostClient } from "../host-client.ts";
import { print } from "../print.ts";
import { UsageError } from "../store-place.ts";

type Options = {
  readonly data?: string;
  readonly json: boolean;
  readonly key?: string;
  readonly waitMs?: string;
};

/** What a command of the line means to the workflow's owner. */
type Meaning = (words: readonly string[], options: Readonly<Record<string, string>>) => Body;
type Body = NonNullable<CommandRequest["body"]>;

/** `holdfast <name> <workflow> …` for one command of the inbox. */
function asking(
  name: string,
  description: string,
  { words = [], kind, body = () => ({}) }: { words?: string[]; kind: string; body?: Meaning },
): Command {
  const command = common(new Command(name).description(description).argument("<workflow>"));
  for (const word of words) command.argument(word);
  return command.action(async (workflow: string, ...given: unknown[]) => {
    const texts = given.slice(0, words.length).filter((each) => typeof each === "string");
    const options = command.opts<Options & Readonly<Record<string, string>>>();
    await ask(workflow, { kind, body: body(texts, options) }, options);
  });
}

function common(command: Command): Command {
  return command
    .option("--key <key>", "idempotency key: the same key is the same command")
    .option("--wait-ms <ms>", "how long to wait for the verdict")
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false);
}

async function ask(workflow: string, command: CommandRequest, options: Options): Promise<void> {
  const { data, json, key, waitMs } = options;
  const client = new HostClient({ data });
  const path = `/workflows/${encodeURIComponent(workflow)}/commands`;
  const verdict = await client.post<VerdictAnswer>(path, command, {
    ...(key === undefined ? {} : { key }),
    ...(waitMs === undefined ? {} : { waitMs: Number(waitMs) }),
  });
  print(json, verdict, () => verdict.note);
}

function parsed(text: string | undefined, what: string): Body[string] {
  try {
    return JSON.parse(text ?? "") as Body[string];
  } catch {
    throw new UsageError(`${what} is not JSON: ${text}`);
  }
}

const event = { words: ["<topic>", "<messageId>"], body: eventOf } as const;

function eventOf([topic = "", messageId = ""]: readonly string[]): Body {
  return { topic, messageId };
}

/** What people ask of a workflow, a command each; `ask` takes any other. */
export function askCommands(): readonly Command[] {
  return [
    asking("pause", "stop a workflow at its next boundary", { kind: "pause_workflow" }),
    asking("resume", "let a paused workflow go on", { kind: "resume_workflow" }),
    asking("run-now", "start all producers at once", { kind: "run_now" }),
    asking("publish", "add an event by hand", {
      kind: "publish_event",
      words: ["<topic>", "<messageId>", "<payload>"],
      body: ([topic = "", messageId = "", payload], { title }) => ({
        topic,
        messageId,
        payload: parsed(payload, "the payload") ?? null,
        title: title ?? null,
      }),
    }).option("--title <title>", "what the event is to a person"),
    asking("skip-event", "take an event out of the work", {
      kind: "skip_event",
      words: [...event.words],
      body: event.body,
    }),
    asking("reprocess-event", "work an event off once more", {
      kind: "reprocess_event",
      words: [...event.words],
      body: event.body,
    }),
    asking("skip-input", "take everything an input caused out of the work", {
      kind: "skip_input",
      words: ["<inputId>"],
      body: ([inputId = ""]) => ({ inputId }),
    }),
    asking("reprocess-input", "work everything an input caused off once more", {
      kind: "reprocess_input",
      words: ["<inputId>"],
      body: ([inputId = ""]) => ({ inputId }),
    }),
    asking("reset-topic", "make every event of a topic pending again", {
      kind: "reset_topic",
      words: ["<topic>"],
      body: ([topic = ""]) => ({ topic }),
    }),
    asking("reset-producer", "let a producer forget what it knows", {
      kind: "reset_producer",
      words: ["<producer>"],
      body: ([handler = ""]) => ({ handler }),
    }),
    asking("retry", "try a failed run again", {
      kind: "retry_run",
      words: ["<runId>"],
      body: ([runId = ""]) => ({ runId }),
    }),
    ...brakeCommands(),
    anyCommand(),
  ];
}

/** Without an operation it is the brake on everything. */
function brakeCommands(): readonly Command[] {
  const words = ["[operation]"];
  return [
    asking("brake", "stop all sending of a workflow, or of one operation of it", {
      kind: "set_brake",
      words,
      body: ([operation = "*"], { reason }) => ({ operation, reason: reason ?? "set by hand" }),
    }).option("--reason <text>", "why, for whoever finds it"),
    asking("release-brake", "let a workflow, or one operation of it, send again", {
      kind: "release_brake",
      words,
      body: ([operation = "*"]) => ({ operation }),
    }),
  ];
}

function anyCommand(): Command {
  const command = common(
    new Command("ask")
      .description("any command of the inbox, with its body as JSON")
      .argument("<workflow>")
      .argument("<kind>", "such as stop_run")
      .argument("[body]", 'such as \'{"runId":"r12"}\'', "{}"),
  );
  return command.action(async (workflow: string, kind: string, body: string, options: Options) => {
    const given = parsed(body, "the body") as Body;
    await ask(workflow, { kind, body: given }, options);
  });
}
