import { inputRows, useRows } from "../frame/project-frame.ts";
import type { ProjectionsOf } from "../journal/projection.ts";
import type { JournalRecord } from "../journal/record.ts";
import { insertRow, type RowChange, updateRow } from "../view/row-change.ts";
import type { RunRow } from "../view/rows.ts";
import type { IntentFact, IntentOpened } from "./intent-facts.ts";
import { intentTrigger } from "./intent-run.ts";

export const projectIntent: ProjectionsOf<IntentFact> = {
  intent_opened: openedRows,
  intent_settled: ({ runId, intentId, outcome, itemStatus, body }, { seq, at }) => [
    updateRow("runs", [runId], { status: "committed", phase: "committed", outcome, endedAt: at }),
    updateRow("items", [intentId], {
      ...(itemStatus === null ? {} : { status: itemStatus }),
      touchedSeq: seq,
      updatedAt: at,
    }),
    ...inputRows({ inputKind: "outcome", body }, seq),
  ],
};

function openedRows(fact: IntentOpened, { seq, at }: JournalRecord): RowChange[] {
  const { runId, intentId, machine, title, older, event } = fact;
  return [
    insertRow("runs", openedRun(fact, { seq, at })),
    ...useRows(event, runId),
    insertRow("items", {
      itemId: intentId,
      handler: machine,
      title,
      status: "processing",
      attempt: 1,
      position: seq,
      touchedSeq: seq,
      createdBy: runId,
      lastRunId: runId,
      mutationId: null,
      older,
      createdAt: at,
      updatedAt: at,
    }),
  ];
}

function openedRun(fact: IntentOpened, { seq, at }: Pick<JournalRecord, "seq" | "at">): RunRow {
  const { runId, intentId, machine, title, version, scriptHash, deployers, joins } = fact;
  return {
    runId,
    handler: machine,
    kind: "job",
    phase: "executing",
    status: "active",
    reason: null,
    dueAt: null,
    retryOf: null,
    rootRunId: joins ?? runId,
    supersededBy: null,
    retryFrom: null,
    open: false,
    asOf: seq,
    trigger: intentTrigger,
    selectionId: null,
    uiTitle: title,
    prepareResult: null,
    preparedAt: null,
    outcome: null,
    mutationId: null,
    version,
    transientCount: 0,
    failure: null,
    startedAt: at,
    endedAt: null,
    scriptHash,
    deployers: deployers ?? null,
    itemId: intentId,
    activeMs: 0,
  };
}
