import type { AttentionKind } from "../attention/attention-kind.ts";
import { everyBrake, workflowBrake } from "../attention/set-brake.ts";
import { CanonicalError, decodeCanonical } from "../canonical/index.ts";
import { unhex } from "../machine/hex.ts";
import type { Instant, RetryFrom } from "../view/rows.ts";
import type { Cause, DueWork, Said } from "./cause.ts";
import type { Explanation } from "./explanation.ts";
import { type SayTime, sayUtc } from "./say-time.ts";

type Words = {
  readonly [K in Cause["kind"]]: (cause: Extract<Cause, { kind: K }>, say: SayTime) => string;
};

/** One link of the chain, as a clause that can follow "because". */
export function sayCause(cause: Cause, say: SayTime = sayUtc): string {
  return (words[cause.kind] as (cause: Cause, say: SayTime) => string)(cause, say);
}

/** The whole chain as one sentence about what `name` names. */
export function sayWhy(name: string, { state, because }: Explanation, say: SayTime = sayUtc) {
  const causes = because.map((cause) => sayCause(cause, say)).join("; ");
  return `${name} ${verbs[state]}: ${causes}.`;
}

const verbs: Readonly<Record<Explanation["state"], string>> = {
  moving: "is moving",
  waiting: "waits",
  done: "is done",
  unexplained: "is stuck, and no rule explains it",
};

const words: Words = {
  held_by_run: ({ runId, handler }) => `run ${runId} of ${handler} holds it`,
  behind_run: ({ runId, handler }) =>
    `run ${runId} of ${handler} is open, and one run at a time is worked on`,
  same_call: ({ runId, handler }) => `run ${runId} of ${handler} makes this call, under its key`,
  retried_as: ({ runId, retryOf }) => `run ${retryOf} was followed by run ${runId}`,
  held_by_intent: ({ runId, machine, cell }) =>
    `the machine ${machine} has it${cell === null ? "" : ` (${cell})`}, and waits for the call ` +
    `of run ${runId}`,
  cell_stopped: ({ machine, key, attentionId }) =>
    `a cell of ${machine}${sayKey(key)} has stopped, and goes on when ${attentionId} is answered`,
  before_machines: ({ topic }) => `the machines have not taken in what is in ${topic} yet`,
  machines_took: ({ appliedIds }) => {
    const [first, ...others] = appliedIds;
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    return `the machines have taken it in${first === undefined ? "" : `, with ${first}${more}`}`;
  },
  not_its_turn: ({ handler, first }) => `${first} comes before ${handler}`,
  due_now: ({ work }) => sayWork(work),
  commands_waiting: ({ count }) =>
    count === 1 ? "a command waits to be answered" : `${count} commands wait to be answered`,
  workflow_not_created: () => "nothing was deployed yet",
  workflow_paused: ({ by }, say) => `the workflow was paused${sayBy(by, say)}`,
  workflow_archived: ({ by }, say) => `the workflow was archived${sayBy(by, say)}`,
  workflow_stopped: ({ error }) => `the workflow was stopped: ${error}`,
  backing_off: ({ runId, reason, failure, until }, say) => {
    const why = reason === "rate_limit" ? "the service wants to be left alone" : "it failed";
    const message = failure ? ` (${failure.message})` : "";
    return `run ${runId} tries again at ${say(until)}, because ${why}${message}`;
  },
  person_asked: ({ attentionId, question, note, answers, until }, say) => {
    const end = until === null ? "" : `; ${sayUnanswered(question, say(until))}`;
    const asked = `a person has to answer ${attentionId} (${question.replaceAll("_", " ")})`;
    return `${asked}: ${note} — ${answers.join(" or ")}${end}`;
  },
  brake_on: ({ operation, mutationId, metered, reason, by, until }, say) => {
    const everything = operation === workflowBrake || operation === everyBrake;
    const what = everything ? "everything" : operation;
    const end = until === null ? "" : `; its approval ends at ${say(until)}`;
    const held = mutationId ?? metered;
    return `the brake on ${what}, set${sayBy(by, say)} (${reason}), holds ${held}${end}`;
  },
  call_waits: ({ mutationId, operation, until }, say) =>
    `${operation} (${mutationId}) is recorded and goes out at ${say(until)}`,
  awaits_executor: ({ mutationId, operation, executor, until }, say) => {
    const end = until === null ? "" : `; its approval ends at ${say(until)}`;
    const call = `${operation} (${mutationId}) is recorded and not sent`;
    return `${call}: no executor of ${executor} has asked for it${end}`;
  },
  in_flight: ({ mutationId, operation, target, until }, say) =>
    `${operation} on ${target} (${mutationId}) is being sent; ` +
    `without an answer the host looks again at ${say(until)}`,
  finding_out: ({ mutationId, operation, target, how, until }, say) =>
    `nobody knows yet whether ${operation} on ${target} (${mutationId}) happened; ` +
    `the host ${findingWords[how]} at ${say(until)}`,
  retry_ordered: ({ runId, from, until }, say) =>
    `run ${runId} is tried again from ${retryWords[from]} at ${say(until)}`,
  handler_gone: ({ handler, runId }) =>
    `run ${runId} is to be tried again, but ${handler} is not in the active version`,
  machines_wait: ({ until }, say) => `its machines have a timer for ${say(until)}`,
  nothing_to_do: ({ until }, say) => `there is nothing to do${sayUntil(until, say)}`,
  unexplained: ({ note }) => note,
  no_subscriber: ({ topic, declared }) =>
    declared
      ? `nobody subscribes to ${topic} in the active version`
      : `the active version no longer has the topic ${topic}`,
  looked_and_left: ({ handler, until }, say) =>
    `${handler} has looked and left it${sayUntil(until, say)}`,
  no_events_yet: () => "it was registered, and no event was published for it yet",
  observed: ({ topic }) => `${topic} is only observed: nobody here works it off`,
  consumed: ({ runId, at, mutationId }, say) => {
    const change = mutationId === null ? "without an outside change" : `with ${mutationId}`;
    return `run ${runId} consumed it at ${say(at)} ${change}`;
  },
  skipped: ({ by }, say) => `it was skipped${sayBy(by, say)}`,
  outcome_skipped: ({ runId, mutationId, by }, say) =>
    `the outcome of ${mutationId} in run ${runId} was given up on${sayBy(by, say)}`,
  call_rejected: ({ runId, mutationId, by }, say) =>
    `${mutationId} of run ${runId} was rejected${sayBy(by, say)}`,
  run_committed: ({ runId, at }, say) => `run ${runId} committed at ${say(at)}`,
  run_aborted: ({ runId, at }, say) => `run ${runId} was ended on purpose at ${say(at)}`,
  all_settled: ({ eventCount }) =>
    eventCount === 1 ? "its event is settled" : `all its ${eventCount} events are settled`,
};

const findingWords = {
  ask: "asks the service",
  send_again: "sends the same bytes with the same key",
  give_up: "gives up and asks a person",
} as const;

const retryWords: Readonly<Record<RetryFrom, string>> = {
  preparing: "prepare",
  mutating: "mutate",
  emitting: "next",
  executing: "its beginning",
};

/** As text where it is one that can be read; a key in bytes says nothing to anybody. */
function sayKey(key: string | null): string {
  if (key === null) return "";
  try {
    const value = decodeCanonical(unhex(key));
    return typeof value === "string" || typeof value === "number" ? ` (${value})` : "";
  } catch (error) {
    if (error instanceof CanonicalError) return "";
    throw error;
  }
}

/** What is not agreed to in time is asked again; what waits for room goes on when there is some. */
function sayUnanswered(question: AttentionKind, until: string): string {
  return question === "approval"
    ? `without an answer by ${until} it is asked anew`
    : `without an answer the host looks again at ${until}`;
}

function sayBy(by: Said | null, say: SayTime): string {
  return by === null ? "" : ` by ${by.actor} at ${say(by.at)}`;
}

function sayUntil(until: Instant | null, say: SayTime): string {
  return until === null ? " until something new comes in" : ` until ${say(until)} or something new`;
}

function sayWork(work: DueWork): string {
  switch (work.kind) {
    case "start_retry":
      return `run ${work.runId} is to be tried again now`;
    case "resume_run":
      return `run ${work.runId} is to go on now`;
    case "continue_run":
      return `run ${work.runId} is being worked on`;
    case "send":
      return `${work.mutationId} is to be sent now`;
    case "reconcile":
      return `the host is to find out now what became of ${work.mutationId}`;
    case "recover_run":
      return `nobody answered for the call of run ${work.runId}, and the host is to look now`;
    case "resend":
      return `${work.mutationId} is to be sent again now, with the same bytes and key`;
    case "expire_approval":
      return `the approval of ${work.mutationId} has run out`;
    case "recover_intent":
      return `nobody answered for ${work.mutationId}, and the host is to look now`;
    case "serve_machines":
      return "the machines are to take in what came for them";
    case "start_run":
      return `${work.handler} is to be started now (${startWords[work.why]})`;
  }
}

const startWords = {
  webhook: "something was pushed to it",
  manual: "a person asked for it",
  event: "something new came in",
  wake: "it wanted to be woken",
  schedule: "its time has come",
} as const;
