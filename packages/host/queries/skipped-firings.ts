import { type Instant, type Rows, type Store, sayUtc, type View } from "@holdfast/core";
import { firingsCountedMax } from "../engine/firings.ts";

export type SkippedFirings = {
  readonly handler: string;
  /** The newest, newest first; each counts from its time on. */
  readonly firings: readonly { readonly dueAt: Instant; readonly count: number }[];
  /** Of these; `isMore` where there are older ones, or one that was counted no further. */
  readonly count: number;
  readonly isMore: boolean;
  readonly text: string;
};

/** So many are told of each handler; all of them are in its journal. */
const firingsToldMax = 20;

/** What handlers that skip have let pass; null = of every handler. */
export async function skippedFirings(
  store: Pick<Store, "listRows">,
  view: View,
  of: string | null,
): Promise<readonly SkippedFirings[]> {
  const names = [...view.rows("handlers")].map(({ name }) => name);
  const told: SkippedFirings[] = [];
  for (const handler of names.filter((name) => of === null || name === of)) {
    const limit = firingsToldMax + 1;
    const query = { list: "skippedFirings", of: [handler], after: null, downTo: null } as const;
    const rows = await store.listRows({ ...query, workflow: view.workflow, limit });
    if (rows.length > 0) told.push(skippedOf(handler, rows));
  }
  return told;
}

function skippedOf(handler: string, rows: readonly Rows["skipped_firings"][]): SkippedFirings {
  const firings = rows
    .slice(0, firingsToldMax)
    .map(({ dueAt, firingCount: count }) => ({ dueAt, count }));
  const count = firings.reduce((sum, each) => sum + each.count, 0);
  const isMore =
    rows.length > firings.length || firings.some((each) => each.count >= firingsCountedMax);
  const [last] = firings;
  const times =
    count === 1 ? "one of its times" : `${count}${isMore ? " or more" : ""} of its times`;
  const text = `${handler} let ${times} pass, the last from ${sayUtc(last?.dueAt ?? 0)} on.`;
  return { handler, firings, count, isMore, text };
}
