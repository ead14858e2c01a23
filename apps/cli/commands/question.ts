import { Command } from "commander";
import { example } from "../group.ts";
import { HostClient } from "../host-client.ts";
import { inputsOf, type Row, textOf } from "../listing.ts";
import { plain, print, timeText } from "../print.ts";
import { waitingOf } from "./waiting.ts";

type Options = { readonly data?: string; readonly json: boolean };

export function showQuestionCommand(): Command {
  const command = new Command("show")
    .description("one question in full: what it is about, what is known, what each answer does")
    .argument("<workflow>")
    .argument("<question>", "as `attention` lists it")
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .action(async (workflow: string, question: string, options: Options) => {
      const [of, about] = [encodeURIComponent(workflow), encodeURIComponent(question)];
      const found = await new HostClient(options).get<Row>(`/workflows/${of}/attention/${about}`);
      print(options.json, found, () => card(found));
    });
  return example(command, "attention show orders a12");
}

/** What the host knows comes first; what the script says of it is marked as that. */
function card(question: Row): string {
  const call = rowOf(question["call"]);
  const lines = [
    `${nameOf(question)}: ${textOf(question["note"])}`,
    textOf(question["why"]),
    "",
    ...(call === null ? [] : callLines(call, rowOf(question["run"]))),
    ...cellLines(rowOf(question["cell"])),
    ...proposedLines(rowOf(question["proposed"])),
    line("because of", inputsOf(question)),
    line("can be verified", textOf(question["verifiable"])),
    line("to check by hand", textOf(question["check"])),
    line("waits behind it", `${waitingOf(question["waiting"])} events`),
    "",
    ...answerLines(question),
  ];
  return lines.map(plain).join("\n");
}

function callLines(call: Row, run: Row | null): readonly string[] {
  const evidence = Array.isArray(call["evidence"]) ? (call["evidence"] as readonly Row[]) : [];
  return [
    line("call", `${textOf(call["operation"])} on ${textOf(call["target"])}`),
    line("with", JSON.stringify(call["params"])),
    line("by the host", textOf(call["preview"])),
    line("the script calls it", call["title"] === null ? "–" : JSON.stringify(call["title"])),
    line("prepared", timeOf(run?.["preparedAt"])),
    line("first sent", timeOf(call["firstSentAt"])),
    line("sent", `${textOf(call["sendCount"])} times, now ${textOf(call["state"])}`),
    ...evidence.map((each) => {
      return line(
        `known at ${timeOf(each["at"])}`,
        `${textOf(each["says"])}: ${textOf(each["note"])}`,
      );
    }),
  ];
}

/** A cell of a machine that has stopped: what was wrong, on what, and how much waits for it. */
function cellLines(cell: Row | null): readonly string[] {
  if (cell === null) return [];
  const event = rowOf(cell["event"]);
  return [
    line("cell", `${textOf(cell["machine"])} ${textOf(cell["key"])}`),
    line("what was wrong", textOf(cell["fault"])),
    line("it stopped on", event === null ? "an answer" : JSON.stringify(event["value"])),
    line("in its mailbox", `${textOf(cell["waiting"])}, with what it stopped on`),
  ];
}

/** What a replay would send now, beside what was sent. */
function proposedLines(proposed: Row | null): readonly string[] {
  if (proposed === null) return [];
  const differs = Array.isArray(proposed["differs"]) ? proposed["differs"].join(", ") : "–";
  return [
    line("wanted now", JSON.stringify(proposed["params"])),
    line("differs in", differs),
    line("bytes", textOf(proposed["payloadHash"])),
  ];
}

function timeOf(at: unknown): string {
  return timeText(typeof at === "number" ? at : null);
}

function answerLines(question: Row): readonly string[] {
  if (question["closedAt"] !== null) {
    return [line("closed", `${textOf(question["answer"])} by ${textOf(question["closedBy"])}`)];
  }
  const does = rowOf(question["does"]) ?? {};
  const name = nameOf(question);
  return Object.entries(does).flatMap(([answer, effect]) => [
    `  holdfast ${commandOf(answer, name, rowOf(question["proposed"]))}`,
    `      ${textOf(effect)}`,
  ]);
}

/** Who agrees, or does not, has to be shown what to: that has commands of its own. */
function commandOf(answer: string, name: string, proposed: Row | null): string {
  if (answer === "accept_cached") {
    return `answer ${name} accept_cached --payload ${textOf(proposed?.["payloadHash"])}`;
  }
  if (answer === "approve") return `approve ${name}`;
  if (answer === "edit") return `edit ${name} --params <json>`;
  if (answer === "reject") return `reject ${name} --reason <text> --then skip|stop`;
  return `answer ${name} ${answer}`;
}

function nameOf(question: Row): string {
  return `${textOf(question["workflow"])} ${textOf(question["attentionId"])}`;
}

function line(head: string, text: string): string {
  return `  ${head.padEnd(20)} ${text}`;
}

function rowOf(value: unknown): Row | null {
  return typeof value === "object" && value !== null ? (value as Row) : null;
}
