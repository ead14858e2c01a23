import { openAttention } from "../attention/attend.ts";
import { type CellNews, tendCellQuestions } from "../attention/cell-question.ts";
import { type HeldIntent, tendHeldIntents } from "../attention/held-intents.ts";
import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import { invariant } from "../ports/invariant.ts";
import { publish } from "../topic/publish.ts";
import { type Blob, type Payload, pinPayload } from "../view/payload.ts";
import type { Instant, Seq, WorkflowRow } from "../view/rows.ts";
import type { OlderMarks } from "./frame-facts.ts";

/** What a step said to a topic. */
export type MachinePublication = {
  readonly topic: string;
  readonly messageId: string;
  readonly payload: Uint8Array;
  /** It may have been said in a time that is forgotten; absent = it is new. */
  readonly older?: boolean;
  /** Inputs that led to it in the end. */
  readonly causedBy: readonly string[];
};

export type CommitFrame = {
  readonly kind: "commit_frame";
  /** Null = nothing was recorded, because everything was refused. */
  readonly frame: {
    readonly firstSeq: number;
    readonly lastSeq: number;
    readonly body: Uint8Array;
    readonly snapshot: Uint8Array | null;
  } | null;
  readonly served: readonly Seq[];
  readonly refused: readonly { readonly position: Seq; readonly code: string }[];
  readonly publishes: readonly MachinePublication[];
  /** Cells that stopped, or were let go on. */
  readonly cells: readonly CellNews[];
  /** What records name by hash instead of having it. */
  readonly blobs: readonly Uint8Array[];
  /**
   * What the snapshot names and none before it had, or a piece of that ahead of it; and what
   * machines put there to be kept.
   */
  readonly parts: readonly Blob[];
  readonly dueAt: Instant | null;
  /** Marks of cells that are from before a restore, and no longer; absent = as they were. */
  readonly older?: Pick<OlderMarks, "added" | "removed">;
  /** All calls that grants do not let through, oldest first; absent = as they were. */
  readonly held?: readonly HeldIntent[];
};

/**
 * Inputs were served. The frame, the events it says and the inputs that are no longer waiting are
 * one change; so are the ledger rows of its intents, which come as commands of their own.
 */
export const commitFrame: Rule<CommitFrame> = (draft, command) => {
  const { frame, served, refused, dueAt } = command;
  const workflow = draft.view.find("workflows");
  if (!workflow) return refuse("workflow_not_created");
  const { machineSeq, machineThrough } = workflow;
  if (frame !== null && frame.firstSeq !== machineSeq + 1) {
    return refuse("frame_out_of_order", `Record ${frame.firstSeq} after ${machineSeq}.`);
  }
  invariant(
    served.every((position, at) => position > (served[at - 1] ?? machineThrough)),
    "inputs are served in their order",
  );
  const kept = frame && {
    firstSeq: frame.firstSeq,
    lastSeq: frame.lastSeq,
    body: pin(draft, frame.body),
    snapshot: frame.snapshot === null ? null : pin(draft, frame.snapshot),
  };
  for (const bytes of command.blobs) draft.store({ hash: pinPayload(bytes).payload.hash, bytes });
  draft.parts.push(...command.parts);
  const older = olderMarks(workflow, command);
  draft.emit({
    kind: "machine_frame_committed",
    frame: kept,
    served,
    refused,
    dueAt,
    ...(older === null ? {} : { older }),
  });
  for (const each of command.publishes) publishFor(draft, each);
  tendCellQuestions(draft, command.cells);
  if (command.held !== undefined) tendHeldIntents(draft, command.held);
  return null;
};

/** Null = nothing of it has changed. The first frame since the restore says where it was begun. */
function olderMarks(
  { restoredThrough, restoredMachineSeq, machineSeq }: WorkflowRow,
  { older: { added, removed } = { added: [], removed: [] } }: CommitFrame,
): OlderMarks | null {
  if (restoredThrough === null) return null;
  const isSame = restoredMachineSeq !== null && added.length + removed.length === 0;
  return isSame ? null : { through: restoredMachineSeq ?? machineSeq, added, removed };
}

function pin(draft: Draft, bytes: Uint8Array): Payload {
  const { payload, blob } = pinPayload(bytes);
  draft.store(blob);
  return payload;
}

/** The kernel has judged topic and schema; what a topic still refuses, a person has to see. */
function publishFor(draft: Draft, publication: MachinePublication): void {
  const { topic } = publication;
  const refusal = publish(
    draft,
    { ...publication, title: null, createdBy: null },
    { isOfMachine: true },
  );
  if (refusal === null) return;
  const note = `an event of a machine could not be published to ${topic}: ${refusal.note}`;
  openAttention(draft, "action_needed", null, note);
}
