import { type Infer, schema } from "./schema.ts";

const pendingSchema = schema.map(schema.text(), schema.text());

/** What a cell waits for: a label for the handle of each emission. Part of its state. */
export type Pending = Infer<typeof pendingSchema>;

type Answer = { readonly issuer_ref: string | null };
type Taken = { readonly label: string; readonly rest: Pending };

/** Null: nobody waits for it, or no longer. A receipt that comes again finds nothing. */
function take(waiting: Pending, { issuer_ref: handle }: Answer): Taken | null {
  const label = handle === null ? undefined : waiting[handle];
  if (handle === null || label === undefined) return null;
  const { [handle]: _taken, ...rest } = waiting;
  return { label, rest };
}

function add(waiting: Pending, handle: string, label: string): Pending {
  return { ...waiting, [handle]: label };
}

function isEmpty(waiting: Pending): boolean {
  for (const _handle in waiting) return false;
  return true;
}

export const pending = { schema: pendingSchema, add, take, isEmpty } as const;
