/** How a state looks. Words come first; the tone only helps the eye. */
export type Tone = "quiet" | "moving" | "you" | "stopped" | "unknown" | "done";

export type Said = { readonly text: string; readonly tone: Tone };

const calls: Readonly<Record<string, Said>> = {
  awaiting_approval: { text: "waiting for you", tone: "you" },
  ready: { text: "waiting to be sent", tone: "moving" },
  in_flight: { text: "being sent", tone: "moving" },
  needs_reconcile: { text: "sent, not confirmed: checking", tone: "unknown" },
  indeterminate: { text: "sent, not confirmed", tone: "unknown" },
  applied: { text: "done", tone: "done" },
  failed: { text: "did not happen", tone: "quiet" },
};

const runs: Readonly<Record<string, Said>> = {
  active: { text: "working", tone: "moving" },
  "paused:transient": { text: "waiting to try again", tone: "moving" },
  "paused:approval": { text: "waiting for you", tone: "you" },
  "paused:reconciliation": { text: "sent, not confirmed: checking", tone: "unknown" },
  "paused:user": { text: "stopped by a person", tone: "quiet" },
  "failed:logic": { text: "script error", tone: "stopped" },
  "failed:internal": { text: "host error", tone: "stopped" },
  aborted: { text: "given up", tone: "quiet" },
  committed: { text: "finished", tone: "quiet" },
  crashed: { text: "broken off, tried again", tone: "quiet" },
};

const events: Readonly<Record<string, Said>> = {
  pending: { text: "waiting", tone: "quiet" },
  reserved: { text: "being worked on", tone: "moving" },
  consumed: { text: "done", tone: "done" },
  skipped: { text: "left out", tone: "quiet" },
};

const inputs: Readonly<Record<string, Said>> = {
  pending: { text: "waiting", tone: "moving" },
  done: { text: "done", tone: "done" },
  skipped: { text: "left out", tone: "quiet" },
};

const items: Readonly<Record<string, Said>> = {
  processing: { text: "being worked on", tone: "moving" },
  done: { text: "done", tone: "done" },
  failed: { text: "not finished", tone: "stopped" },
  skipped: { text: "left out", tone: "quiet" },
  needs_attention: { text: "waiting for you", tone: "you" },
};

export function sayCallState(state: string): Said {
  return calls[state] ?? { text: state, tone: "quiet" };
}

/** What a person made of it says more than its state. */
const settled: Readonly<Record<string, string>> = {
  "applied happened": "done, a person says",
  "failed rejected": "not agreed to",
  "failed edited": "changed, and asked anew",
  "failed withdrawn": "withdrawn",
  "failed skip": "left out",
};

type SettledCall = {
  readonly state: string;
  readonly resolution: { readonly kind: string } | null;
};

export function sayCall({ state, resolution }: SettledCall): Said {
  const said = sayCallState(state);
  const text = resolution === null ? undefined : settled[`${state} ${resolution.kind}`];
  return text === undefined ? said : { ...said, text };
}

export function sayRun(status: string): Said {
  return runs[status] ?? { text: status, tone: "quiet" };
}

export function sayEvent(status: string): Said {
  return events[status] ?? { text: status, tone: "quiet" };
}

export function sayInput(status: string): Said {
  return inputs[status] ?? { text: status, tone: "quiet" };
}

export function sayItemStatus(status: string): Said {
  return items[status] ?? { text: status, tone: "quiet" };
}

type ItemFacts = { readonly status: string; readonly startsFresh: boolean };

export function sayItem({ status, startsFresh }: ItemFacts): Said {
  return startsFresh ? { text: "will be done again", tone: "moving" } : sayItemStatus(status);
}

/** A brake on every operation of a workflow, and one on those of all. */
export const ofWorkflow = "*";
export const ofEveryWorkflow = "**";

export function brakeText(operation: string): string {
  if (operation === ofWorkflow) return "all that this workflow sends";
  return operation === ofEveryWorkflow ? "all that every workflow sends" : operation;
}

export type WorkflowFacts = {
  readonly status: string;
  readonly error: string | null;
  readonly openRun: string | null;
  readonly openQuestions: number;
  readonly brakes: readonly string[];
};

/** Working, Idle, Waiting for you, Stopped. */
export function sayWorkflow(facts: WorkflowFacts): Said {
  if (facts.openQuestions > 0) return { text: "Waiting for you", tone: "you" };
  if (facts.error !== null) return { text: "Stopped: needs a fix", tone: "stopped" };
  if (facts.status === "paused") return { text: "Stopped by a person", tone: "quiet" };
  if (facts.status === "archived") return { text: "Put away", tone: "quiet" };
  if (facts.brakes.length > 0) return { text: "Held by a brake", tone: "stopped" };
  if (facts.openRun !== null) return { text: "Working", tone: "moving" };
  return { text: "Idle", tone: "quiet" };
}

const evidence: Readonly<Record<string, string>> = {
  response: "the service answered",
  error: "no usable answer",
  reconcile: "the service was asked",
  unsent: "not sent",
  recovery: "found after a restart",
  late: "came late",
  answer: "a person said",
};

const evidenceSays: Readonly<Record<string, string>> = {
  applied: "it happened",
  failed: "it did not happen",
  unknown: "nobody knows",
  not_sent: "it was not sent",
};

export function sayEvidence(kind: string, says: string): string {
  return `${evidence[kind] ?? kind}: ${evidenceSays[says] ?? says}`;
}

const resolutions: Readonly<Record<string, string>> = {
  happened: "said that it happened",
  did_not_happen: "said that it did not happen",
  skip: "left it out",
  send: "said that it did not happen, and sent it",
  rejected: "did not agree",
  edited: "changed it",
  withdrawn: "withdrew it",
};

export function sayResolution(kind: string): string {
  return resolutions[kind] ?? kind.replaceAll("_", " ");
}

/** What can be relied on when an answer is lost, in one sentence. */
const guarantees: Readonly<Record<string, string>> = {
  "exactly once by key":
    "The service knows each call by a key, so that sending it again does nothing twice.",
  "at most once, verified":
    "Sent once. If the answer is lost, the service is asked whether it happened.",
  "at most once, asks you":
    "Sent once. If the answer is lost, nobody can be asked but you: nothing is guessed.",
};

export function sayGuarantee(label: string): string {
  return guarantees[label] ?? label;
}
