import type { CodeEntry } from "./codes/code-entry.ts";
import { definitionCodes } from "./codes/definition-codes.ts";
import { handlerCodes } from "./codes/handler-codes.ts";
import { sourceCodes } from "./codes/source-codes.ts";

/** Everything that validate can say. Codes are stable: tools and models hold on to them. */
export const problemCodes = { ...sourceCodes, ...definitionCodes, ...handlerCodes } as const;

export type ProblemCode = keyof typeof problemCodes;

export function codeEntry(code: ProblemCode): CodeEntry {
  return problemCodes[code];
}
