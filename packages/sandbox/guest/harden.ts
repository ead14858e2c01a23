import { host } from "./host.ts";
import { defineProperty, getPrototypeOf } from "./intrinsics.ts";
import { replaceRandom } from "./random.ts";

/** Not needed by automations; each would make a run depend on when memory is collected. */
const removed = [
  "WeakRef",
  "FinalizationRegistry",
  "SharedArrayBuffer",
  "Atomics",
  "eval",
] as const;

/** Code comes from the script that was checked, not from text made while it runs. */
function refuseCode(): never {
  host("refuse", "code_from_text");
  throw new Error("never reached");
}

export function harden(): void {
  for (const name of removed) delete (globalThis as Record<string, unknown>)[name];
  const functions = [() => {}, async () => {}, function* () {}, async function* () {}] as const;
  for (const each of functions) replaceConstructor(getPrototypeOf(each) as object);
  (globalThis as Record<string, unknown>)["Function"] = (
    getPrototypeOf(functions[0]) as { constructor: unknown }
  ).constructor;
  replaceRandom(() => host("refuse", "random_at_top_level"));
}

/** `instanceof Function` goes on working. */
function replaceConstructor(prototype: object): void {
  const replacement = function refused() {
    refuseCode();
  };
  defineProperty(replacement, "prototype", { value: prototype, writable: false });
  defineProperty(prototype, "constructor", { value: replacement, writable: false });
}
