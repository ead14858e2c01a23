import { isFunction, propertyOf } from "../../compile/tree/plain-expression.ts";
import type { Node } from "../../compile/tree/syntax-node.ts";
import type { ScriptView, Sited } from "./script-view.ts";

export type Spot = {
  readonly at: Sited; // the key, or what stands there without one
  readonly value: Sited | null; // null = the path could not be followed to its end
};

/**
 * Where a part of the definition stands in the source. A path that cannot be followed, because
 * the object is built at run time, ends at the last part that was found.
 */
export function locate(view: ScriptView, path: readonly string[]): Spot {
  const entry = view.files.get(view.source.entry);
  const root = entry ? view.exported(entry, "default") : null;
  if (!entry) throw new Error("the entry was not read");
  let at: Sited = root ?? { node: entry.program, file: entry };
  if (!root) return { at, value: null };
  let value = view.settle(root);
  for (const segment of path) {
    const found = stepInto(value, segment);
    if (found === null) return { at, value: null };
    at = { node: found.key, file: value.file };
    value = view.settle({ node: found.value, file: value.file });
  }
  return { at, value };
}

function stepInto({ node }: Sited, segment: string): { key: Node; value: Node } | null {
  if (node.type === "ArrayExpression") {
    const element = /^\d+$/.test(segment) ? node.elements[Number(segment)] : null;
    return element ? { key: element, value: element } : null;
  }
  const property = propertyOf(node, segment);
  if (property === null || property.type !== "Property") return null;
  return { key: property.key, value: property.value };
}

/** The function at a path of the definition; null = it is made at run time and cannot be read. */
export function functionAt(view: ScriptView, path: readonly string[]) {
  const { value } = locate(view, path);
  if (value === null || !isFunction(value.node)) return null;
  return { node: value.node, file: value.file };
}
