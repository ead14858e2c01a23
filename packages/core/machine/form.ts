/** Schemas of what the kernel itself writes, with the types of what is read back. */
import { type CanonicalValue, compileSchema, type Schema } from "../canonical/index.ts";

declare const read: unique symbol;

export type Form<T> = { readonly schema: Schema; readonly [read]?: () => T };
type ReadOf<F> = F extends Form<infer T> ? T : never;

export const text: Form<string> = { schema: { type: "text" } };
export const nat: Form<bigint> = { schema: { type: "nat" } };
export const time: Form<bigint> = { schema: { type: "time" } };
export const bytes: Form<Uint8Array> = { schema: { type: "bytes" } };
export const bool: Form<boolean> = { schema: { type: "bool" } };

export function option<T>(inner: Form<T>): Form<T | null> {
  return { schema: { type: "option", inner: inner.schema } };
}

export function list<T>(item: Form<T>): Form<readonly T[]> {
  return { schema: { type: "list", item: item.schema } };
}

type Forms = { readonly [name: string]: Form<unknown> };

export function record<F extends Forms>(
  forms: F,
): Form<{ readonly [Name in keyof F]: ReadOf<F[Name]> }> {
  const entries = Object.entries(forms).map(([name, form]) => [name, form.schema] as const);
  return { schema: { type: "record", fields: Object.fromEntries(entries) } };
}

/** Reads exactly what was written and decoded; throws `SchemaError` for anything else. */
export function readerOf<T>(form: Form<T>): (decoded: CanonicalValue) => T {
  const compiled = compileSchema(form.schema, { rootName: "record" });
  return (decoded) => compiled.accept(decoded) as T;
}
