import { refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import type { Policy } from "./policy.ts";
import { isSoundText, mendText } from "./sound-text.ts";

/** Read by people only: broken text is mended and long text cut, rather than refused. */
const textForPeople = new Set(["message", "location", "note", "reason", "described"]);

function numberFault(value: number, key: string): Fault | null {
  // A wake time may be nonsense by contract: it is then ignored.
  if (key === "wakeAt") return null;
  const good = key === "jitter" ? value >= 0 && value < 1 : Number.isSafeInteger(value);
  if (good) return null;
  const why = key === "jitter" ? "expected a share of 1" : "expected a whole number";
  return { path: key, why, mend: false };
}

/**
 * Scripts and services supply much of a command's text and numbers. What cannot be sealed into a
 * canonical record is caught here, before any rule hashes or records it: otherwise a script could
 * bring its host down with one broken character.
 */
export function admitCommand<C extends object>(policy: Policy, command: C): C | Refusal {
  const fault = firstFault(policy, command, "command");
  if (!fault) return command;
  if (fault.mend) return admitCommand(policy, mended(policy, command) as C);
  return refuse("command_malformed", `${fault.path}: ${fault.why}.`);
}

type Fault = { readonly path: string; readonly why: string; readonly mend: boolean };

/** The path is put together on the way back: almost every command is without a fault. */
function firstFault(policy: Policy, value: unknown, key: string): Fault | null {
  if (typeof value === "string") return textFault(policy, value, key);
  if (typeof value === "number") return numberFault(value, key);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return null;
  const inner = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(inner)) {
    const fault = firstFault(policy, inner[name], name);
    if (fault) return { ...fault, path: `${key}.${fault.path}` };
  }
  return null;
}

function textFault(policy: Policy, text: string, key: string): Fault | null {
  if (textForPeople.has(key)) {
    const good = text.length <= policy.noteCharsMax && isSoundText(text);
    return good ? null : { path: key, why: "text to mend", mend: true };
  }
  const isTitle = key === "title" || key === "uiTitle";
  if (isTitle || isSoundText(text)) return null;
  return { path: key, why: "the text is broken (a lone surrogate or U+0000)", mend: false };
}

function mended(policy: Policy, value: unknown, key = ""): unknown {
  if (typeof value === "string" && textForPeople.has(key)) {
    return mendText(value.slice(0, policy.noteCharsMax));
  }
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map((inner) => mended(policy, inner));
  const entries = Object.entries(value).map(([name, inner]) => [name, mended(policy, inner, name)]);
  return Object.fromEntries(entries);
}
