export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** One field of a call, with the way to it: `customer.name`, `lines.0.sku`. */
export type Field = { readonly name: string; readonly value: Json };

const depthMax = 3;

/** What is to be sent as a flat list; deeper or longer than people read stays whole. */
export function fieldsOf(value: Json, depth = 0, before = ""): readonly Field[] {
  if (typeof value !== "object" || value === null) return [{ name: before, value }];
  const entries = Object.entries(value);
  const isLeaf = depth >= depthMax || entries.length === 0 || entries.length > 40;
  if (isLeaf) return [{ name: before, value: value as Json }];
  return entries.flatMap(([key, each]) => {
    const name = before === "" ? key : `${before}.${key}`;
    return fieldsOf(each as Json, depth + 1, name);
  });
}

/** As it is written in the call; text without its quotes. */
export function valueText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export type Difference = { readonly name: string; readonly from: string; readonly to: string };

/** What is another value than it was, field by field; "–" = it is not there. */
export function differencesOf(before: Json, after: Json): readonly Difference[] {
  const was = new Map(fieldsOf(before).map(({ name, value }) => [name, valueText(value)]));
  const is = new Map(fieldsOf(after).map(({ name, value }) => [name, valueText(value)]));
  const names = [...new Set([...was.keys(), ...is.keys()])];
  return names.flatMap((name) => {
    const [from, to] = [was.get(name) ?? "–", is.get(name) ?? "–"];
    return from === to ? [] : [{ name, from, to }];
  });
}

/** Calls whose fields have the same names: one look at the list is a look at each of them. */
export function shapeOf(value: Json): string {
  const fields = fieldsOf(value).map(({ name, value: each }) => `${name}:${typeof each}`);
  return fields.toSorted().join("\n");
}

function numberText(count: number): string {
  return new Intl.NumberFormat().format(count);
}

export function countText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}
