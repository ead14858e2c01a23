import { type Infer, schema } from "./schema.ts";

const sagaSchema = schema.list(schema.record({ step: schema.text(), note: schema.text() }));

/** What was done and has to be taken back if the rest fails, oldest first. Part of the state. */
export type Saga = Infer<typeof sagaSchema>;

type Undo = { readonly step: string; readonly note: string; readonly rest: Saga };

function did(saga: Saga, step: string, note = ""): Saga {
  return [...saga, { step, note }];
}

/** The last thing done that is not yet taken back; null when nothing is left. */
function undo(saga: Saga): Undo | null {
  const last = saga[saga.length - 1];
  if (last === undefined) return null;
  const rest: { step: string; note: string }[] = [];
  for (let at = 0; at < saga.length - 1; at++) rest[at] = saga[at] ?? last;
  return { ...last, rest };
}

export const saga = { schema: sagaSchema, did, undo } as const;
