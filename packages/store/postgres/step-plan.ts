import type { RowStep } from "./row-statements.ts";

/** One statement with all its rows, as take_steps_1 reads it. */
export type JsonStep = readonly [
  sql: string,
  touches: number | null,
  rows: readonly RowStep["row"][],
  constraint: string,
];

/**
 * Puts the steps of several changes, each of another workflow, into few statements. The steps of
 * one change stay in their order, one after the other; those of different changes do not see each
 * other, so that any order between them is the same.
 */
export function planSteps(changes: readonly (readonly RowStep[])[]): readonly JsonStep[] {
  const queues = changes.map((steps): Queue => ({ steps, next: 0 }));
  const plan: JsonStep[] = [];
  for (;;) {
    const first = firstLeft(queues);
    if (first === undefined) return plan;
    const rows = queues.flatMap((queue) => takeSame(queue, first.sql));
    plan.push([first.sql, first.touches === null ? null : rows.length, rows, first.constraint]);
  }
}

type Queue = { readonly steps: readonly RowStep[]; next: number };

/** The next step of the first change that is not at its end. */
function firstLeft(queues: readonly Queue[]): RowStep | undefined {
  const queue = queues.find(({ steps, next }) => next < steps.length);
  return queue?.steps[queue.next];
}

/** As long as each touches another row: two changes of one row would become one. */
function takeSame(queue: Queue, sql: string): readonly RowStep["row"][] {
  const rows: RowStep["row"][] = [];
  const touched = new Set<string | null>();
  for (;;) {
    const step = queue.steps[queue.next];
    if (step?.sql !== sql) return rows;
    const { row, touchedRow } = step;
    if (rows.length > 0 && (touchedRow === null || touched.has(touchedRow))) return rows;
    touched.add(touchedRow);
    rows.push(row);
    queue.next += 1;
  }
}
