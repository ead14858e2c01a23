import { pending } from "./pending.ts";
import type { Infer, InferInput, Schema } from "./schema.ts";
import { schema } from "./schema.ts";

/** Several effects whose results are wanted together, in the order they were named. */
export type Join<Result> = {
  readonly names: readonly string[];
  readonly waiting: { readonly [handle: string]: string };
  readonly results: { readonly [name: string]: Result };
};

type Named = { readonly name: string; readonly handle: string };
type Answer = { readonly issuer_ref: string | null };

/** The schema of a join in the state, for results of one type. */
function schemaOf<S extends Schema>(
  result: S,
): Schema<Join<Infer<S>>, Join<InferInput<S>>, "record"> {
  return schema.record({
    names: schema.list(schema.text()),
    waiting: pending.schema,
    results: schema.map(schema.text(), result),
  }) as Schema as Schema<Join<Infer<S>>, Join<InferInput<S>>, "record">;
}

function start(members: readonly Named[]): Join<never> {
  const names: string[] = [];
  let waiting: Join<never>["waiting"] = {};
  for (const { name, handle } of members) {
    names[names.length] = name;
    waiting = pending.add(waiting, handle, name);
  }
  return { names, waiting, results: {} };
}

/** Null: the join does not wait for this one. */
function take<Result>(
  join: Join<Result>,
  receipt: Answer,
  result: NoInfer<Result>,
): Join<Result> | null {
  const taken = pending.take(join.waiting, receipt);
  if (taken === null) return null;
  const results = { ...join.results, [taken.label]: result };
  return { names: join.names, waiting: taken.rest, results };
}

/** All results in the order of their names; null while one is missing. */
function results<Result>(join: Join<Result>): readonly Result[] | null {
  const list: Result[] = [];
  for (const name of join.names) {
    if (!(name in join.results)) return null;
    list[list.length] = join.results[name] as Result;
  }
  return list;
}

export const join = { schema: schemaOf, start, take, results } as const;
