import type { AttentionRow, InputRow, MutationRow, RunRow } from "@holdfast/core";
import { isDefinitionName } from "@holdfast/core/machine";
import type { AttentionItem, InputName, RunItem } from "./answers.ts";
import type { FoundRows } from "./found-rows.ts";

export function inputName(row: InputRow): InputName {
  const { inputId, source, type, externalId, title } = row;
  return { inputId, source, type, externalId, title };
}

/** In the order of the ids; they are loaded already. */
export function inputNames(found: FoundRows, inputIds: Iterable<string>): InputName[] {
  return [...new Set(inputIds)].flatMap((inputId) => {
    const row = found.find("inputs", inputId);
    return row ? [inputName(row)] : [];
  });
}

export function runItem(row: RunRow): RunItem {
  const { runId, handler, kind, phase, status, reason, dueAt, failure, trigger, outcome } = row;
  const { mutationId, retryOf, retryFrom, supersededBy, transientCount, version } = row;
  const { startedAt, preparedAt, endedAt, activeMs, uiTitle: title, open: isOpen } = row;
  return {
    runId,
    handler,
    kind,
    title,
    phase,
    status,
    isOpen,
    reason,
    dueAt,
    failure,
    trigger,
    outcome,
    mutationId,
    retryOf,
    retryFrom,
    supersededBy,
    transientCount,
    version,
    startedAt,
    preparedAt,
    endedAt,
    activeMs,
  };
}

/** What it does in the host's words; null = they were not kept when it was recorded. */
export function previewOf({ approval, preview }: MutationRow): string | null {
  return approval?.preview ?? preview;
}

/** The script's own words; null = it has none. What a machine asks for is named by the host. */
export function scriptTitleOf({ handler, uiTitle }: MutationRow): string | null {
  return isDefinitionName(handler) ? null : uiTitle;
}

export function operationName({ connection, operation }: MutationRow): string {
  return `${connection}.${operation}`;
}

const aboutTheWorld: readonly AttentionRow["kind"][] = [
  "outcome_unknown",
  "happened_after_all",
  "may_have_happened",
];

/** What a person can look at before answering; the host could not, or is not done with it. */
export function whatToCheck(kind: AttentionRow["kind"], call: MutationRow | null): string | null {
  if (call === null || !aboutTheWorld.includes(kind)) return null;
  return `Look at ${call.target} for what ${operationName(call)} with these params does.`;
}

export function questionOf(
  row: AttentionRow,
): Pick<
  AttentionItem,
  | "attentionId"
  | "kind"
  | "subject"
  | "note"
  | "answers"
  | "openedAt"
  | "closedAt"
  | "closedBy"
  | "answer"
> {
  const { attentionId, kind, subject, note, answers, openedAt, closedAt, closedBy, answer } = row;
  return { attentionId, kind, subject, note, answers, openedAt, closedAt, closedBy, answer };
}
