import type { InboxCommand } from "../command.ts";
import { refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import type { Need } from "../ports/store.ts";
import type { View } from "../view/view.ts";
import { orAbsent, type Read, record, text } from "./read-body.ts";

/**
 * What whoever asks had before them. A command waits in the inbox, and what it is about may change
 * meanwhile; so the owner compares when the command's turn comes, and not who takes it in.
 */
export type DecidedOn = {
  /** The question that is answered, which has to be open still; null = it answers none. */
  readonly question: string | null;
  /** How what it is about was told, as `stateOf` says it; null = however it is now. */
  readonly state: string | null;
};

/** Absent = it was asked for without looking. */
export type Deciding = { readonly decidedOn?: DecidedOn };

export const decidedOn: Read<DecidedOn> = record({
  question: orAbsent(text),
  state: orAbsent(text),
});

export function needsOfDecided({ decidedOn: on }: Deciding): Need[] {
  const question = on?.question ?? null;
  return question === null ? [] : [{ kind: "row", table: "attentions", key: [question] }];
}

/** Null = what the command was decided on is still so. */
export function whyDecidedOnOther(view: View, command: InboxCommand & Deciding): Refusal | null {
  const { question = null, state = null } = command.decidedOn ?? {};
  if (question !== null) {
    const asked = view.find("attentions", question);
    if (!asked || asked.closedAt !== null) {
      return refuse("attention_not_found", `Question ${question} is no longer open.`);
    }
  }
  if (state === null) return null;
  const { what, now } = stateOf(view, command);
  if (now === state) return null;
  return refuse("revision_stale", `${what} is ${now ?? "not there"} now, and not ${state}.`);
}

type State = { readonly what: string; readonly now: string | null };

/**
 * Of what a command is about: the revision of an event, the state of a call, the status of a run or
 * an item, the active version, the number of the grants; else the status of the workflow.
 */
function stateOf(view: View, command: InboxCommand): State {
  if ("topic" in command && "messageId" in command) {
    const { topic, messageId } = command;
    const revision = view.find("events", topic, messageId)?.revision;
    const now = revision === undefined ? null : String(revision);
    return { what: `The revision of ${topic}/${messageId}`, now };
  }
  if ("runId" in command) {
    const now = view.find("runs", command.runId)?.status ?? null;
    return { what: `The status of ${command.runId}`, now };
  }
  if ("mutationId" in command) {
    const now = view.find("mutations", command.mutationId)?.state ?? null;
    return { what: `The state of ${command.mutationId}`, now };
  }
  if ("itemId" in command) {
    const now = view.find("items", command.itemId)?.status ?? null;
    return { what: `The status of ${command.itemId}`, now };
  }
  return stateOfWorkflow(view, command);
}

function stateOfWorkflow(view: View, { kind }: InboxCommand): State {
  const workflow = view.find("workflows");
  if (kind === "set_envelope") {
    const now = workflow ? String(workflow.envelope) : null;
    return { what: "The number of the grants in force", now };
  }
  if (kind !== "activate_version") {
    return { what: "The status of the workflow", now: workflow?.status ?? null };
  }
  const isDeployed = workflow && workflow.scriptHash !== null;
  const now = isDeployed ? `${workflow.versionMajor}.${workflow.versionMinor}` : null;
  return { what: "The active version", now };
}
