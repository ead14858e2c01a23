import type { CanonicalValue } from "@holdfast/core";

/** JSON pointers (RFC 6901): "" is the whole, "/orders/0" the first of the orders. */
export function isPointer(text: string): boolean {
  return text === "" || (text.startsWith("/") && !/~(?![01])/.test(text));
}

/**
 * `absent`: a list is there and does not reach so far. `astray`: this is not the answer that was
 * expected. A name that is missing is astray too: an error in place of the answer lacks it as well.
 */
export type Pointed =
  | { readonly at: "value"; readonly value: CanonicalValue }
  | { readonly at: "absent" }
  | { readonly at: "astray" };

export function pointTo(value: CanonicalValue, pointer: string): Pointed {
  const parts = pointer.split("/").slice(1);
  let current: CanonicalValue = value;
  for (const [index, part] of parts.entries()) {
    const next = childOf(current, part.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (next.at === "absent" && index < parts.length - 1) return { at: "astray" };
    if (next.at !== "value") return next;
    current = next.value;
  }
  return { at: "value", value: current };
}

function childOf(container: CanonicalValue, name: string): Pointed {
  if (typeof container !== "object" || container === null) return { at: "astray" };
  if (Array.isArray(container) && !/^(?:0|[1-9]\d*)$/.test(name)) return { at: "astray" };
  const missing = { at: Array.isArray(container) ? "absent" : "astray" } as const;
  if (!Object.hasOwn(container, name)) return missing;
  const value = (container as Readonly<Record<string, CanonicalValue>>)[name];
  return value === undefined ? missing : { at: "value", value };
}
