/**
 * What a script said when it failed. No record has it: it is kept in the question about the cell
 * that stands still since, and is about the last fault of that cell.
 */
import { askedCell, faultOfCell, type Store } from "@holdfast/core";
import { hex } from "@holdfast/core/machine";
import type { JsonValue } from "../queries/answers.ts";
import type { Fault } from "./troubles.ts";

type Parts = { readonly store: Pick<Store, "listAttentions">; readonly workflow: string };
type CellName = { readonly machine: string; readonly key: Uint8Array | null };

export async function withWords(parts: Parts, fault: Fault): Promise<Fault> {
  const { machine, key, code } = fault;
  const said = machine === null ? null : await wordsOfStop(parts, { machine, key });
  return said?.includes(code) === true ? { ...fault, note: said } : fault;
}

type Entry = {
  readonly seq: number;
  readonly kind: string;
  readonly record: JsonValue;
  readonly note: string | null;
};

/** Entries with the last of the cell among them, in any order. */
export async function withNotes<E extends Entry>(
  parts: Parts,
  cell: CellName,
  entries: readonly E[],
): Promise<readonly E[]> {
  const faults = entries.filter(({ kind }) => kind === "fault" || kind === "killed");
  const last = Math.max(...faults.map(({ seq }) => seq));
  const said = faults.length === 0 ? null : await wordsOfStop(parts, cell);
  if (said === null) return entries;
  return entries.map((each) => {
    const { code, reason } = each.record as { readonly code?: unknown; readonly reason?: unknown };
    const isIt = each.seq === last && said.includes(String(code ?? reason));
    return isIt ? { ...each, note: said } : each;
  });
}

/** With more questions than these open, words that are older than theirs are left out. */
const questionsMax = 200;

/** Null = nobody is asked about it: it goes on. */
async function wordsOfStop({ store, workflow }: Parts, cell: CellName): Promise<string | null> {
  const query = { workflow, isOpen: true, after: null, limit: questionsMax };
  const questions = await store.listAttentions(query);
  const key = cell.key === null ? null : hex(cell.key);
  const found = questions.find(({ row }) => {
    const asked = askedCell(row);
    return asked !== null && asked.machine === cell.machine && asked.key === key;
  });
  return found === undefined ? null : faultOfCell(found.row);
}
