/**
 * Parsers of native code overflow their stack on hostile nesting and take the process with them.
 * So sources are parsed and checked here, in a process that may die without anybody noticing.
 */
import { checkSources } from "../../validate/check-sources.ts";
import { readSource } from "../check-syntax.ts";
import type { Answer, Question, Saying } from "./question.ts";

const nothing: Answer = { problems: [], operations: [], forms: [] };

function answer(question: Question): Answer {
  const read = readSource(question.source);
  if (!read.ok) return { ...nothing, problems: read.problems };
  if (question.kind === "syntax") return nothing;
  return checkSources(question.source, read.files, question.input);
}

function respond(question: Question): Saying {
  try {
    return { kind: "answer", answer: answer(question) };
  } catch (error) {
    // The stack is all that a script can exhaust; anything else is a fault of ours.
    if (error instanceof RangeError) return { kind: "too_deep" };
    return { kind: "broken", stack: error instanceof Error ? `${error.stack}` : String(error) };
  }
}

const say = (saying: Saying): void => {
  process.send?.(saying);
};

process.on("message", (question: Question) => say(respond(question)));
process.on("disconnect", () => process.exit());
say({ kind: "ready" });
