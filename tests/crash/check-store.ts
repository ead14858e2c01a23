import type { Rows, Store, TableName, WorkflowSummary } from "@holdfast/core";
import { verify } from "@holdfast/host";
import { commandIds, orderCountOf, workflowNames } from "./life.ts";
import { ordersTopic } from "./life-commands.ts";
import type { Outside } from "./outside.ts";
import type { Testimony } from "./testimony.ts";
import { traceTextOf } from "./workflow-driver.ts";

/** All at once: far more than any child leaves behind. */
const everything = 1_000;

type Finder = {
  readonly store: Store;
  readonly testimony: Testimony;
  readonly outside: readonly string[];
  readonly report: (problem: string) => void;
};

export type Evidence = {
  readonly testimony: Testimony;
  readonly outside: Outside;
  /** The last life came to its end, so that nothing may be left to do. */
  readonly finished: boolean;
};

/** Compares what is in the store with what was said and done. Answers with what is wrong. */
export async function checkStore(store: Store, evidence: Evidence): Promise<string[]> {
  const { testimony, finished } = evidence;
  const problems: string[] = [];
  const outside = evidence.outside.changes();
  const finder = { store, testimony, outside, report: (note: string) => problems.push(note) };
  const workflows = await store.listWorkflows(null, everything);
  for (const workflow of workflows) await checkWorkflow(finder, workflow);
  checkAcknowledged(finder, workflows);
  for (const { problems: found } of await verify(store, { full: true })) {
    for (const each of found) problems.push(`verify: ${JSON.stringify(each)}`);
  }
  await checkOutside(finder, workflows, finished);
  if (finished) await checkFinished(finder, workflows);
  return problems;
}

async function checkWorkflow(finder: Finder, { workflow, head }: WorkflowSummary): Promise<void> {
  const { store, testimony, report } = finder;
  const journal = await store.readJournal(workflow, 0, everything);
  const last = journal.at(-1);
  if ((last?.seq ?? 0) !== head.seq) report(`${workflow}: head ${head.seq}, journal ${last?.seq}`);
  if (!testimony.mayBeHead({ workflow, seq: head.seq, hash: head.hash })) {
    report(`${workflow}: head ${head.seq} is not the end of any change that was asked for`);
  }
  const hashes = new Map<number, string>(journal.map(({ seq, hash }) => [seq, hash]));
  for (const { workflow: name, seq, hash } of testimony.committed) {
    if (name !== workflow || hashes.get(seq) === hash) continue;
    report(`${workflow}: the acknowledged change up to ${seq} is not in the journal`);
  }
  await checkTraces(finder, workflow, hashes);
  const inbox = await store.readInbox(workflow, everything);
  for (const commandId of Object.values(commandIds)) {
    const verdict = await store.findVerdict(workflow, commandId);
    const there = verdict !== null || inbox.some((entry) => entry.commandId === commandId);
    checkCommand(finder, { workflow, commandId }, there);
  }
}

/** A trace is there exactly when the facts it led to are: a run's last ones say how it ended. */
async function checkTraces(
  { store, report }: Finder,
  workflow: string,
  journal: ReadonlyMap<number, string>,
): Promise<void> {
  const traces = await store.readTraces(workflow, 0, everything);
  const traced = new Set(traces.map(({ runId }) => runId));
  for (const { seq, runId, text } of traces) {
    if (!journal.has(seq))
      report(`${workflow}: a trace of ${runId} is at ${seq}, past the journal`);
    if (text !== traceTextOf(runId)) report(`${workflow}: the trace of ${runId} says ${text}`);
  }
  for (const { runId, status } of await rowsOf(store, workflow, "runs")) {
    if (status === "committed" && !traced.has(runId)) {
      report(`${workflow}: run ${runId} is committed without a trace`);
    }
  }
}

function checkCommand(
  { testimony, report }: Finder,
  command: { readonly workflow: string; readonly commandId: string },
  there: boolean,
): void {
  const { workflow, commandId } = command;
  const acknowledged = testimony.appended.some(
    (line) => line.workflow === workflow && line.commandId === commandId,
  );
  const name = `${workflow}: command ${commandId}`;
  if (acknowledged && !there) report(`${name} was acknowledged and is gone`);
  if (there && !testimony.wasAsked(command)) report(`${name} is there, but nobody gave it`);
}

/** What was acknowledged to a workflow that is not even there. */
function checkAcknowledged(finder: Finder, workflows: readonly WorkflowSummary[]): void {
  const there = new Set(workflows.map(({ workflow }) => workflow));
  for (const { workflow } of [...finder.testimony.committed, ...finder.testimony.appended]) {
    if (!there.has(workflow)) finder.report(`${workflow} is gone`);
  }
}

/** Nothing happens outside without a ledger row that says so, and nothing happens twice. */
async function checkOutside(
  { store, outside, report }: Finder,
  workflows: readonly WorkflowSummary[],
  finished: boolean,
): Promise<void> {
  const sent = new Set<string>();
  const applied: string[] = [];
  for (const { workflow } of workflows) {
    for (const { mutationKey, sendCount, state } of await rowsOf(store, workflow, "mutations")) {
      if (sendCount > 0) sent.add(mutationKey);
      if (state === "applied") applied.push(mutationKey);
    }
  }
  for (const [index, key] of outside.entries()) {
    if (!sent.has(key)) report(`mutation ${key} was sent, but its ledger row does not say so`);
    if (outside.indexOf(key) !== index) report(`mutation ${key} was made twice`);
  }
  for (const key of applied) {
    if (!outside.includes(key)) report(`mutation ${key} is applied, but never happened`);
  }
  if (finished && applied.length !== outside.length) {
    report(`${outside.length} changes were made outside, ${applied.length} are known`);
  }
}

/** No event lost, no reservation orphaned, every run explained, every command answered. */
async function checkFinished(
  { store, report }: Finder,
  workflows: readonly WorkflowSummary[],
): Promise<void> {
  if (workflows.length !== workflowNames.length) report(`${workflows.length} workflows are there`);
  for (const { workflow, owner } of workflows) {
    if (owner !== null) report(`${workflow} is still owned by ${owner}`);
    for (const commandId of Object.values(commandIds)) {
      const verdict = await store.findVerdict(workflow, commandId);
      if (verdict?.accepted !== true) report(`${workflow}: ${commandId} was not accepted`);
    }
    const events = await rowsOf(store, workflow, "events");
    const orders = events.filter(({ topic }) => topic === ordersTopic);
    const consumed = orders.filter(({ status }) => status === "consumed");
    if (consumed.length !== orderCountOf(workflow)) {
      report(`${workflow}: ${consumed.length} of ${orders.length} events are consumed`);
    }
    for (const { runId, status, open, supersededBy } of await rowsOf(store, workflow, "runs")) {
      const explained = !open && (status === "committed" || supersededBy !== null);
      if (!explained) report(`${workflow}: run ${runId} is left ${status}`);
    }
  }
}

async function rowsOf<T extends TableName>(
  store: Store,
  workflow: string,
  table: T,
): Promise<Rows[T][]> {
  const rows: Rows[T][] = [];
  for await (const row of store.scan(workflow, table)) rows.push(row);
  return rows;
}
