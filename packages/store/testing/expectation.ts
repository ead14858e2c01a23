import {
  type CommitAnswer,
  type ErrorCode,
  HostError,
  type RowChange,
  type Store,
  tableNames,
} from "@holdfast/core";
import { expect } from "vitest";
import type { ConstraintName } from "../constraint-names.ts";
import type { Owner } from "./change-builder.ts";

export async function expectHostError(
  call: () => Promise<unknown>,
  code: ErrorCode,
  what: string = code,
): Promise<void> {
  const outcome = await call().then(
    () => "nothing was thrown",
    (error: unknown) => error,
  );
  expect(outcome, what).toBeInstanceOf(HostError);
  expect(outcome, what).toMatchObject({ code });
}

export function expectRefused(answer: CommitAnswer | undefined, constraint: ConstraintName): void {
  expect(answer).toMatchObject({ kind: "refused", constraint });
}

/** All the port can tell about one workflow, in a form that two moments can be compared by. */
export async function everythingOf(store: Store, owner: Owner): Promise<unknown> {
  const tables: Record<string, unknown[]> = {};
  for (const table of tableNames) {
    const rows: unknown[] = [];
    for await (const row of store.scan(owner.workflow, table)) rows.push(row);
    tables[table] = rows;
  }
  const summaries = await store.listWorkflows(null, 1000);
  return {
    tables,
    summary: summaries.find((entry) => entry.workflow === owner.workflow),
    journal: await store.readJournal(owner.workflow, 0, 100_000),
    inbox: await store.readInbox(owner.workflow, 1000),
    peek: await store.peek(owner.workflow, "orders", 1000),
  };
}

/** The change is refused by that constraint and leaves no trace. */
export async function expectRefusal(
  store: Store,
  owner: Owner,
  refusal: { readonly constraint: ConstraintName; readonly rows: readonly RowChange[] },
): Promise<void> {
  const before = await everythingOf(store, owner);
  const answer = await owner.commit({ rows: refusal.rows });
  expectRefused(answer, refusal.constraint);
  expect(await everythingOf(store, owner)).toEqual(before);
}
