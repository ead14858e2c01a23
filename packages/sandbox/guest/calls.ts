import { describeThrown } from "./errors.ts";
import { host } from "./host.ts";
import {
  bare,
  glue,
  OwnPromise,
  ownMember,
  parseJson,
  resolved,
  toWellFormed,
} from "./intrinsics.ts";
import { encode, ValueFault } from "./values.ts";

/** Calls that the host has not answered, by the number it gave them. */
const open = bare<(value: unknown) => void>();

/** Hands the value over, or ends the run because it cannot be handed over. */
export function send(kind: string, value: unknown, name: string): string | undefined {
  return host(kind, encodeOrEnd(value, name));
}

export function encodeOrEnd(value: unknown, name: string, exact = false): string {
  try {
    return encode(value, name, exact);
  } catch (fault) {
    const said =
      fault instanceof ValueFault
        ? { path: fault.path, why: fault.why }
        : { path: name, why: glue("cannot be read (", describeThrown(fault).message, ")") };
    // What is wrong with it may be wrong with its name too.
    const shown = { path: toWellFormed(said.path), why: toWellFormed(said.why) };
    host("value_fault", encode(shown, "fault"));
    throw fault;
  }
}

/**
 * Asks the host for something that may take time. A call that fails or waits for a person ends
 * the run on the host's side: the script is never told, so there is nothing to catch.
 */
export function ask(call: string, given: unknown, name: string): Promise<unknown> {
  const answer = parseJson(send("call", [call, given], name) as string) as object;
  const id = ownMember(answer, "id") as number | undefined;
  if (id === undefined) return resolved(ownMember(answer, "value"));
  return new OwnPromise((resolve) => {
    open[id] = resolve;
  });
}

export function settle(text: string): void {
  const settled = parseJson(text) as readonly { readonly id: number }[];
  for (let index = 0; index < settled.length; index++) {
    const each = settled[index];
    if (each === undefined) continue;
    const resolve = open[each.id];
    delete open[each.id];
    resolve?.(ownMember(each, "value"));
  }
}
