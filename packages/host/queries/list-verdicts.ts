import type { Instant, Store, VerdictRow } from "@holdfast/core";
import type { Filter, Page } from "./answers.ts";
import { firstFrom } from "./fact-list.ts";
import { allOf, havingText, pageOf, readPage, type Walk } from "./paged-list.ts";

export type VerdictFilter = Filter & {
  readonly accepted: boolean | null;
  readonly kind?: string | undefined;
  readonly actor?: string | undefined;
};

/** Whatever anybody asked of a workflow, who it was and what came of it, newest first. */
export async function listVerdicts(
  store: Store,
  workflow: string,
  query: VerdictFilter,
): Promise<Page<VerdictRow>> {
  const { accepted, kind, actor } = query;
  const pick = allOf<VerdictRow>(
    accepted === null ? null : (row) => row.accepted === accepted,
    kind === undefined ? null : (row) => row.kind === kind,
    actor === undefined ? null : (row) => row.actor === actor,
    havingText(query.text, (row) => [row.commandId, row.kind, row.actor, row.note]),
  );
  const found = await readPage({ ...(await walkVerdicts(store, workflow, query)), pick }, query);
  return pageOf(found.rows, found);
}

async function walkVerdicts(
  store: Store,
  workflow: string,
  { from, to }: Filter,
): Promise<Walk<VerdictRow>> {
  const list = { workflow, list: "verdicts", of: [] } as const;
  const downTo = from === undefined ? null : [await positionAt(store, workflow, from)];
  const end = to === undefined ? null : await positionAt(store, workflow, to + 1);
  return {
    placeOf: ({ position }) => [position],
    read: (after, limit) => {
      const place = after === null ? end : Math.min(Number(after[0]), end ?? Number(after[0]));
      return store.listRows({ ...list, after: place === null ? null : [place], downTo, limit });
    },
  };
}

/** Commands are answered in the order of their positions, each of which has one. */
async function positionAt(store: Store, workflow: string, at: Instant): Promise<number> {
  const list = { workflow, list: "verdicts", of: [], downTo: null, limit: 1 } as const;
  const [last] = await store.listRows({ ...list, after: null });
  return firstFrom(last?.position ?? 0, async (position) => {
    const [row] = await store.listRows({ ...list, after: [position + 1] });
    return row !== undefined && row.answeredAt >= at;
  });
}
