import type { QuestionAnswer, QuestionsAnswer } from "@holdfast/protocol";
import type { Tone } from "./states.ts";

export type Question = QuestionsAnswer["items"][number];
export type QuestionCard = QuestionAnswer;

/** What a question is about, before one reads it. */
export type Heading = { readonly mark: string; readonly text: string; readonly tone: Tone };

const headings: Readonly<Record<string, Heading>> = {
  approval: { mark: "?", text: "Your approval", tone: "you" },
  outcome_unknown: { mark: "◌", text: "Sent, not confirmed", tone: "unknown" },
  may_have_happened: { mark: "◌", text: "May have been sent before", tone: "unknown" },
  payload_differs: { mark: "≠", text: "Would be done differently now", tone: "you" },
  happened_after_all: { mark: "!", text: "It happened after all", tone: "stopped" },
  action_needed: { mark: "!", text: "Needs a hand outside", tone: "you" },
  retries_exhausted: { mark: "!", text: "Tried and gave up", tone: "stopped" },
  run_failed: { mark: "!", text: "Script error", tone: "stopped" },
  crash_loop: { mark: "!", text: "The host died twice over this", tone: "stopped" },
  ledger_may_be_older_than_world: { mark: "!", text: "Restored from a backup", tone: "you" },
};

/** What a run waits for, where a person has to do something: what it is called, and asked. */
const waits: Readonly<Record<string, { readonly text: string; readonly asks: string }>> = {
  auth: { text: "Sign-in refused", asks: "The service refused the sign-in. Is it put right?" },
  permission: { text: "Not allowed", asks: "Nothing allows this call. Is it allowed now?" },
  budget: { text: "Used up", asks: "What may be spent is used up. Is there room now?" },
  cell: {
    text: "Stopped: script error",
    asks: "The script failed on something that came in. Try it again, or leave it out?",
  },
  "stale input": { text: "Waits for long", asks: "This came in long ago and is not worked off." },
  brake: { text: "Held by a brake", asks: "A brake holds this call: nothing of it is sent." },
};

/** The host's note begins with it. */
function waitsFor({ kind, note }: Pick<Question, "kind" | "note">) {
  const [reason = ""] = note.split(":", 1);
  return kind === "action_needed" && Object.hasOwn(waits, reason) ? waits[reason] : undefined;
}

export function headingOf(question: Pick<Question, "kind" | "run" | "note">): Heading {
  const { kind, run } = question;
  const waiting = waitsFor(question);
  if (waiting !== undefined) return { mark: "!", text: waiting.text, tone: "you" };
  if (kind === "run_failed" && run?.failure?.class === "internal") {
    return { mark: "!", text: "Host error", tone: "stopped" };
  }
  return headings[kind] ?? { mark: "!", text: kind.replaceAll("_", " "), tone: "you" };
}

const asks: Readonly<Record<string, string>> = {
  approval: "May this be sent?",
  outcome_unknown: "We sent this and do not know whether it happened. Did it?",
  may_have_happened: "This may have been sent before the store was restored. Was it?",
  payload_differs: "This is done. The script would now do it differently. What counts?",
  happened_after_all: "This was settled as not done, and now there is proof that it happened.",
  action_needed: "Something outside has to be put right. Is it?",
  retries_exhausted: "It has failed as often as it may. Try again?",
  run_failed: "The script made a mistake. What now?",
  crash_loop: "The host died twice while it worked on this. Go on?",
  ledger_may_be_older_than_world: "The store was restored from a backup. Go on?",
};

export function askOf(question: Pick<Question, "kind" | "note">): string {
  const { kind, note } = question;
  return waitsFor(question)?.asks ?? asks[kind] ?? note;
}

/** A button: what it says, and what has to be known or confirmed before it counts. */
export type Choice = {
  readonly answer: string;
  readonly says: string;
  readonly isMain: boolean;
  /** It may do something twice: asked once more. */
  readonly isRisky: boolean;
  readonly takes: "nothing" | "reason" | "result" | "params";
};

type Words = Omit<Choice, "answer">;

const plain = { isMain: false, isRisky: false, takes: "nothing" } as const;
const stop: Words = { ...plain, says: "Give it up and pause the workflow" };
const leaveOut: Words = { ...plain, says: "Leave it out" };

const choices: Readonly<Record<string, Readonly<Record<string, Words>>>> = {
  approval: {
    approve: { ...plain, says: "Send it as shown", isMain: true },
    edit: { ...plain, says: "Change it first …", takes: "params" },
    reject: { ...plain, says: "Do not send it …", takes: "reason" },
  },
  outcome_unknown: {
    try_again: { ...plain, says: "Ask the service again", isMain: true },
    happened: { ...plain, says: "It is there …", takes: "result" },
    did_not_happen: { ...plain, says: "It is not there: do it again ⚠", isRisky: true },
    skip: leaveOut,
  },
  may_have_happened: {
    happened: { ...plain, says: "It is there …", takes: "result" },
    send: { ...plain, says: "It is not there: send it now ⚠", isRisky: true },
    skip: leaveOut,
  },
  payload_differs: {
    accept_cached: { ...plain, says: "What was done counts", isMain: true },
    reprocess: { ...plain, says: "Do the whole item again ⚠", isRisky: true },
    skip: leaveOut,
  },
  action_needed: {
    resume: { ...plain, says: "It is put right: go on", isMain: true },
    cancel: { ...plain, says: "Take this call back" },
    redeliver: { ...plain, says: "Try it again with the version of now", isMain: true },
    drop: { ...plain, says: "Leave out what it stopped on" },
    acknowledge: { ...plain, says: "I have seen it", isMain: true },
    stop,
  },
  retries_exhausted: { resume: { ...plain, says: "Try again", isMain: true }, stop },
  run_failed: {
    retry: { ...plain, says: "Try again with the version of now", isMain: true },
    stop,
  },
  crash_loop: { resume: { ...plain, says: "Go on", isMain: true }, stop },
  happened_after_all: { acknowledge: { ...plain, says: "I have seen it", isMain: true } },
  ledger_may_be_older_than_world: {
    continue: { ...plain, says: "Go on; look up what is old first", isMain: true },
  },
};

/** Only what the question allows, in the order people read it. */
export function choicesOf({ kind, answers }: Pick<Question, "kind" | "answers">): Choice[] {
  const known = choices[kind] ?? {};
  const order = Object.keys(known);
  const rank = (answer: string) => (order.indexOf(answer) + order.length + 1) % (order.length + 1);
  return answers
    .toSorted((a, b) => rank(a) - rank(b))
    .map((answer) => {
      const words = known[answer] ?? { ...plain, says: answer.replaceAll("_", " ") };
      return { answer, ...words };
    });
}

/** What it is for, as people know it; null = for nothing that came in. */
export function causeOf({ inputs, item }: Question): string | null {
  const [first] = inputs;
  if (first === undefined) return item?.title ?? null;
  return inputs.length === 1 ? first.title : `${first.title} and ${inputs.length - 1} more`;
}

/** A machine asked for it: its title is the host's, not the script's. */
export function isOfMachine({ run }: Pick<Question, "run">): boolean {
  return run?.trigger === "intent";
}

/** The real thing where there is one, else the note of the host. */
export function lineOf({ call, run, note }: Question): string {
  if (call !== null) return call.preview ?? `${call.operation} at ${call.target}`;
  if (run?.failure != null) return `${run.handler}: ${run.failure.message}`;
  return note;
}

const answered: Readonly<Record<string, string>> = {
  approve: "sent it as shown",
  edit: "changed it",
  reject: "did not agree",
  try_again: "asked the service again",
  happened: "said that it happened",
  did_not_happen: "said that it did not happen",
  send: "said that it did not happen, and sent it",
  accept_cached: "let what was done count",
  reprocess: "had the whole item done again",
  skip: "left it out",
  resume: "let it go on",
  retry: "tried it again",
  stop: "gave it up",
  cancel: "took it back",
  withdrawn: "took it back",
  released: "took the brake off",
  granted: "changed what is allowed",
  acknowledge: "took note of it",
  not_stale: "saw that it no longer waits",
  continue: "let the work go on",
};

export function sayAnswer(answer: string | null): string {
  return answer === null ? "closed it" : (answered[answer] ?? answer.replaceAll("_", " "));
}
