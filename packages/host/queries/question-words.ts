import type { GuaranteeLabel } from "@holdfast/connector-kit";
import {
  type AttentionKind,
  type AttentionRow,
  heldIntent,
  isAboutBrake,
  isAboutCell,
  isAboutStale,
  type RunFailure,
} from "@holdfast/core";

/** Why a person is asked, and what comes of each answer. In the words of the person. */
type Words = {
  readonly why: string;
  readonly answers: Readonly<Record<string, string>>;
};

const stop = "Gives this run up, lets go of what it held and pauses the workflow.";
const happened =
  "Counts as done, with the service's own result if it has it, else with the one you give. " +
  "Nothing is sent.";

const words: Readonly<Record<AttentionKind, Words>> = {
  approval: {
    why: "This call is only made when a person has said yes to it.",
    answers: {
      approve: "Sends exactly this call, once, without running the script again.",
      edit: "Makes another call of it, with the parameters you give, and asks about that one.",
      reject:
        "Nothing is sent. Then skip: the workflow goes on without it. Then stop: the run is " +
        "given up and the workflow paused.",
    },
  },
  outcome_unknown: {
    why: "The call was sent, and nothing that can be asked says whether it was carried out.",
    answers: {
      try_again: "The service is asked again what became of it. Nothing is sent.",
      did_not_happen:
        "Counts as not done, and is done again. If it did happen after all, it happens twice.",
      happened,
      skip: "Nothing more is sent or asked. The workflow goes on without it.",
    },
  },
  action_needed: {
    why: "Something outside has to be put right by a person before it can go on.",
    answers: {
      resume: "Goes on where it stands. Nothing is repeated that was done.",
      stop,
      cancel:
        "Takes this call back, and tells the machine that it was canceled. Others that are held " +
        "stay as they are.",
      redeliver: "The cell is given the same event again, with the version that is active now.",
      acknowledge: "Closes the question. It is not asked again about this input.",
      drop: "The cell goes on without the event it stopped on. What it knows stays as it was.",
    },
  },
  retries_exhausted: {
    why: "It has failed as often as the policy allows.",
    answers: { resume: "Goes on where it stands, with its tries counted anew.", stop },
  },
  run_failed: {
    why: "The script made a mistake that trying again does not mend.",
    answers: {
      retry: "A new run works on the same inputs, with the version that is active now.",
      stop,
    },
  },
  crash_loop: {
    why: "The host died twice in a row while it worked on this.",
    answers: { resume: "The workflow goes on.", stop },
  },
  happened_after_all: {
    why: "Proof came late and contradicts what was settled. The operation is stopped by a brake.",
    answers: { acknowledge: "Closes the question. The brake stays until it is released." },
  },
  ledger_may_be_older_than_world: {
    why: "The store was restored: what was sent after the backup is not in it.",
    answers: {
      continue: "Work goes on. What may have been sent already is looked up or asked about first.",
    },
  },
  payload_differs: {
    why:
      "The call was made and is done. The script has run again and would make it with other " +
      "parameters now; those are never sent in its place.",
    answers: {
      accept_cached: "What was done counts for the new parameters too. Nothing is sent.",
      reprocess:
        "The item is worked on from its beginning, as a new attempt: its calls are made again.",
      skip: "Gives the item up. What it has done stays done.",
    },
  },
  may_have_happened: {
    why: "The store was restored, and this call may have been made in the time it has forgotten.",
    answers: {
      send: "It did not happen then: it is sent now. If it did, it happens twice.",
      happened,
      skip: "Nothing is sent. The workflow goes on without it.",
    },
  },
};

/** No script is at fault, so nobody is asked to mend one. */
const whyInternal =
  "Holdfast or one of its connectors made a mistake; the script is not to blame. Tell whoever " +
  "runs this host, with what `holdfast trace` shows.";

const whyHeld =
  "A brake holds this call. Nothing of it is sent until the brake is taken off; then it goes out " +
  "by itself.";

const whyStopped =
  "The script of a machine failed on an event. That cell stands still with what it knew before; " +
  "all others go on.";

const whyNotLetThrough =
  "No grant lets this call of a machine through, or a limit is used up. It waits, and nothing of " +
  "it is sent; when a grant allows it or the limit has room again, it goes on by itself.";

const whyBraked =
  "A machine wants to make a call that costs, and a brake holds it. The machine waits; when the " +
  "brake is taken off, it goes on by itself.";

const whySignedOut =
  "A service refuses the sign-in, or its rights, for something that a machine wants to read. The " +
  "machine waits; once the account is mended, resume it.";

const whyStale =
  "Something that came in was not worked off for a long time. Nothing is lost, and nothing waits " +
  "for your answer: find out what holds it up, or skip it.";

export function whyAsked(question: AttentionRow, failure: RunFailure | null): string {
  if (isAboutBrake(question)) return whyHeld;
  if (isAboutCell(question)) return whyStopped;
  if (isAboutStale(question)) return whyStale;
  const held = heldIntent(question);
  if (held?.isBraked === true) return whyBraked;
  if (held !== null) return held.account === null ? whyNotLetThrough : whySignedOut;
  const { kind } = question;
  const isOurs = kind === "run_failed" && failure?.class === "internal";
  const why = isOurs ? whyInternal : words[kind].why;
  return failure === null ? why : `${why} It said: ${failure.message}`;
}

/** Only those that this question allows. */
export function whatAnswersDo({ kind, answers }: AttentionRow): Readonly<Record<string, string>> {
  const { answers: all } = words[kind];
  return Object.fromEntries(answers.map((answer) => [answer, all[answer] ?? ""]));
}

const verifiable: Readonly<Record<GuaranteeLabel, string>> = {
  "exactly once by key":
    "The service knows the call by its key: sent again within the key's time, it is done once.",
  "at most once, verified": "The service can be asked whether it has done this call.",
  "at most once, asks you": "The service cannot be asked: only a person can find out.",
};

export function whatCanBeVerified(guarantee: GuaranteeLabel): string {
  return verifiable[guarantee];
}
