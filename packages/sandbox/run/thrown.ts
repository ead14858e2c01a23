import type { Failure } from "../failure.ts";

type Thrown = { readonly name: string; readonly message: string; readonly stack: string };

/** The first frame that lies in the script, as the engine writes it: "(script.js:12:5)". */
const frame = /script\.js:(\d{1,9}):(\d{1,9})\b/;

/** What the guest says about what it threw, or the engine about what it could not compile. */
export function failureOfThrown(
  text: string,
  fallback: "SCRIPT_THREW" | "SCRIPT_LOAD" = "SCRIPT_THREW",
): Failure {
  const { name, message, stack } = readThrown(text);
  const found = frame.exec(stack);
  const position = found === null ? null : { line: Number(found[1]), column: Number(found[2]) };
  const tooDeep = name === "InternalError" && message === "stack overflow";
  if (tooDeep) return { code: "SCRIPT_STACK", message: "It calls itself too deeply.", position };
  const said = name === "" ? `It threw ${message || "nothing"}` : `${name}: ${message}`;
  return { code: fallback, message: sentence(said.toWellFormed()), position };
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function readThrown(text: string): Thrown {
  try {
    const { name, message, stack } = Object(JSON.parse(text)) as Record<string, unknown>;
    return { name: textOf(name), message: textOf(message), stack: textOf(stack) };
  } catch {
    return { name: "", message: text.slice(0, 2_000), stack: "" };
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 2_000) : "";
}
