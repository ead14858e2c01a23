import { plainText } from "@holdfast/protocol/plain-text";

/** What is told, whatever the sink makes of it. */
export type News = {
  readonly event: "question.opened" | "questions.opened" | "questions.open";
  readonly data: Readonly<Record<string, unknown>>;
};

const lineCharsMax = 300;
const subjectCharsMax = 120;

/**
 * The same for people who read mail: plain text whose link opens the question, and decides nothing.
 * What scripts and services wrote stands in marked lines of its own and below the link, so that it
 * can neither look like ours nor be another link.
 */
export function mailOf({ event, data }: News) {
  const link = String(data["page"]);
  const command = `Or on a command line: ${String(data["command"])}`;
  const decides = "Nothing is decided by opening the link.";
  if (event !== "question.opened") {
    const count = `${String(data["count"])}${data["isMore"] === true ? "+" : ""}`;
    const when = event === "questions.open" ? "are open" : "were asked in the last minute as well";
    const subject = `Holdfast: ${count} questions ${when}`;
    return {
      subject,
      text: `${[`${count} questions ${when}.`, link, decides, command].join("\n\n")}\n`,
    };
  }
  const workflow = lineOf(data["workflow"]);
  const parts = [
    `The workflow ${workflow} needs you (${lineOf(data["kind"])}). Answer here:`,
    link,
    decides,
    command,
    ["What scripts and services say of it:", ...saidOf(data)].join("\n"),
  ];
  return {
    subject: cut(`Holdfast: ${workflow} needs you`, subjectCharsMax),
    text: `${parts.join("\n\n")}\n`,
  };
}

function saidOf({ note, call, inputs }: News["data"]): readonly string[] {
  const { operation, target } = (call ?? {}) as { operation?: string; target?: string };
  const titles = (inputs as readonly unknown[] | undefined) ?? [];
  return [note, operation === undefined ? null : `${operation} to ${target}`, ...titles]
    .filter((each) => each !== null && each !== undefined)
    .map((each) => `> ${lineOf(each)}`);
}

/** On one line, and no address that a mail program would make a link of. */
function lineOf(given: unknown): string {
  return cut(plainText(String(given)).replaceAll("://", ": //"), lineCharsMax);
}

function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1).toWellFormed()}…`;
}
