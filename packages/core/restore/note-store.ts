import { openAttention } from "../attention/attend.ts";
import { type Draft, type Rule, refuse } from "../journal/decision.ts";
import { sayUtc } from "../why/say-time.ts";
import type { Arrival } from "./arrival.ts";
import { closeRestoreQuestion } from "./restore-point.ts";

export type NoteStore = {
  readonly kind: "note_store";
  readonly storeIncarnation: string;
  /** False: the workflow began in this store, and has nothing older. */
  readonly restored: boolean;
  /** How the store came here, if it was imported. */
  readonly arrival?: Arrival;
};

const brakeReason =
  "the store was restored: what was done since its backup is not in the ledger, and nothing is " +
  "sent before a person has looked";

const untilThen =
  "Nothing is sent until this is answered. After that, every change with an input from before " +
  "asks by itself; what comes in from then on is worked off as usual.";

const question =
  "The store was restored, and its ledger may be older than the world: what was sent after the " +
  `backup is not in it. ${untilThen}`;

function imported({ exportedBy, exportedAt, importedBy }: Arrival): string {
  const at = sayUtc(exportedAt);
  return (
    `The store was exported by ${exportedBy} at ${at} and imported here by ${importedBy}. If it ` +
    "was at work anywhere since then, its ledger is older than the world: what was sent there is " +
    `not in it. ${untilThen}`
  );
}

/** The first thing an owner does for a workflow of a store that was restored; once per restore. */
export const noteStore: Rule<NoteStore> = (draft, command) => {
  const { storeIncarnation, restored, arrival } = command;
  const workflow = draft.view.find("workflows");
  if (!workflow) return refuse("workflow_not_created");
  if (workflow.storeIncarnation === storeIncarnation) return refuse("store_noted_already");
  const behind = restored ? producersOf(draft) : null;
  draft.emit({
    kind: "store_noted",
    storeIncarnation,
    behind,
    ...(arrival === undefined ? {} : { arrival }),
  });
  if (!restored) return null;
  // Of an earlier restore: whoever answers means that one.
  const closing = { actor: "host", answer: "restored again" };
  for (const name of behind ?? []) closeRestoreQuestion(draft, name, closing);
  if (!draft.view.find("brakes", "*")) {
    draft.emit({ kind: "brake_set", operation: "*", reason: brakeReason, actor: "host" });
  }
  const asks = arrival === undefined ? question : imported(arrival);
  openAttention(draft, "ledger_may_be_older_than_world", null, asks);
  return null;
};

/**
 * They look for themselves, from where the restored store says they had got to. What is pushed may
 * be pushed again: that it was taken is forgotten too.
 */
function producersOf(draft: Draft): string[] {
  return [...draft.view.rows("handlers")]
    .filter(({ kind, declared }) => kind !== "consumer" && declared)
    .map(({ name }) => name)
    .sort();
}
