import { apply, cut, OwnError, text, toWellFormed } from "./intrinsics.ts";

const charsMax = 2_000;
const hasInstance = Function.prototype[Symbol.hasInstance];

export type Thrown = { readonly name: string; readonly message: string; readonly stack: string };

/** Scripts can throw anything, and what they throw can throw again when it is looked at. */
export function describeThrown(thrown: unknown): Thrown {
  try {
    if (!apply(hasInstance, OwnError, [thrown])) {
      return { name: "", message: plainText(thrown, charsMax), stack: "" };
    }
    const { name, message, stack } = thrown as Error;
    return {
      name: plainText(name, 100),
      message: plainText(message, charsMax),
      stack: plainText(stack, charsMax),
    };
  } catch {
    return { name: "", message: "something that cannot be shown", stack: "" };
  }
}

/** Never broken: half of a pair cannot be handed over, and a cut can make one. */
function plainText(value: unknown, length: number): string {
  if (value === undefined) return "";
  if (typeof value === "object" && value !== null) return "an object";
  return toWellFormed(cut(text(value), length));
}
