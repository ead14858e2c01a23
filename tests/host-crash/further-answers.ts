/**
 * Courses for the answers that want a world of their own: what the shop does first, what the
 * policy is, what happened before the host that is struck.
 */
import type { HostProcess } from "../end-to-end/host-process.ts";
import type { Mood, OrderShop } from "../end-to-end/order-shop.ts";
import { publishOrders } from "../end-to-end/story.ts";
import type { Earlier } from "./earlier-lives.ts";
import { closedQuestions, command, give, wasSaid } from "./give.ts";
import { itemCourses } from "./item-answers.ts";
import { machineCourses } from "./machine-answers.ts";
import { order, orderAfter } from "./order-ids.ts";

export type Asked = {
  readonly attentionId: string;
  readonly kind: string;
  readonly note: string;
  readonly call: { readonly params: { readonly body: { readonly id: string } } } | null;
};

export type Place = { readonly host: HostProcess; readonly shop: OrderShop };
type Said = Place & { readonly asked: Asked };

export type FurtherCourse = {
  readonly mood: Mood;
  /** How many requests meet it. */
  readonly meets?: number;
  /** The shop can be asked; at first it has no answer to that. */
  readonly isFoundOut?: boolean;
  readonly account?: object;
  readonly policy?: object;
  readonly asksFirst?: boolean;
  readonly earlier?: Earlier;
  /** Calls wait for their answers also when the host has given them up. */
  readonly isPatient?: boolean;
  /** The host looks for stale inputs by the clock: how often is chance. */
  readonly isSwept?: boolean;
  /** What works the orders off in place of a consumer. */
  readonly work?: {
    readonly kind: "items" | "machines";
    readonly script: string;
    readonly allow?: readonly string[];
  };
  /** How often the shop may hear of a booking; absent = once. */
  readonly times?: (booking: string) => number;
  /** Before the orders are there. */
  readonly sayFirst?: (host: HostProcess) => Promise<void>;
  /** The commit by which its owner takes the answer in. */
  readonly commit: number;
  /** True = that was the course's own answer; else the question is answered as always. */
  say(said: Said): Promise<boolean>;
  /** What no question asks for. */
  sayUnasked?(place: Place): Promise<void>;
  /** What has to be said before it is over, beside the orders' end; absent = nothing. */
  isOver?(place: Place): Promise<boolean>;
};

function answer({ host, asked }: Said, given: object): Promise<void> {
  return give(host, `/attention/${asked.attentionId}`, given);
}

/** Once; the workflow is resumed then, and asked again it is answered as always. */
function stops(kind: string): FurtherCourse["say"] {
  return async (said) => {
    if (said.asked.kind !== kind || (await wasSaid(said.host, "stop"))) return false;
    await answer(said, { answer: "stop" });
    return true;
  };
}

/** The person looks at the shop; what is there was made in the time that is forgotten. */
function restored(ifThere: object): FurtherCourse["say"] {
  return async (said) => {
    const { asked, shop } = said;
    if (asked.kind === "ledger_may_be_older_than_world") {
      await answer(said, { answer: "continue" });
      return true;
    }
    if (asked.kind !== "may_have_happened") return false;
    const isThere = shop.counts.has(asked.call?.params.body.id ?? "");
    await answer(said, isThere ? ifThere : { answer: "send" });
    return true;
  };
}

/** The call is given up on; then it happens after all, and the next order meets the brake. */
async function sayContradicted(said: Said): Promise<boolean> {
  const { asked, host } = said;
  const isLate = asked.kind === "outcome_unknown" && asked.call?.params.body.id === order;
  if (isLate) await answer(said, { answer: "skip" });
  else if (asked.kind === "happened_after_all") {
    await answer(said, { answer: "acknowledge" });
    await publishOrders(host, [orderAfter]).catch(() => {});
  } else if (asked.kind === "action_needed") {
    // It is not gone with the question.
    if (!(await wasSaid(host, "acknowledge"))) return true;
    await give(host, "/commands", command("release_brake", { operation: "shop.post" }));
  } else return false;
  return true;
}

async function holdAll(host: HostProcess): Promise<void> {
  if (await wasSaid(host, "released")) return;
  await give(host, "/commands", command("set_brake", { operation: "*", reason: "a look first" }));
}

/** Longer than from one look for stale inputs to the next. */
const nextLookMs = 1_500;

/** What is held is let go when there was time to ask about it again. */
async function sayStale(said: Said): Promise<boolean> {
  const { asked, host } = said;
  if (asked.kind !== "action_needed") return false;
  if (asked.note.startsWith("stale input: ")) await answer(said, { answer: "acknowledge" });
  const notedAt = Math.min(...(await takenNoteOf(host)).map(({ closedAt }) => closedAt));
  if (Date.now() < notedAt + nextLookMs) return true;
  await give(host, "/commands", command("release_brake", { operation: "*" }));
  return true;
}

async function takenNoteOf(host: HostProcess) {
  const { items } = await closedQuestions(host);
  return items.filter(({ answer: given }) => given === "acknowledge");
}

const asAlways = async () => false;
const signedOut = { mood: "signs out", commit: 6 } as const;
const away = {
  mood: "is away",
  meets: 2,
  account: { provesNotDone: [503] },
  policy: { transientTriesMax: 1 },
} as const;
const crashed = { mood: "answers", policy: { crashesInARowMax: 1 }, earlier: "crashed" } as const;
const happened = { answer: "happened", result: { status: 200, body: { number: 1 } } };

/** Each by what becomes of the question. */
export const furtherCourses = {
  ...itemCourses,
  ...machineCourses,
  /** Nobody could find out; the service is asked again, and knows. */
  "asked again": {
    mood: "drops the answer",
    isFoundOut: true,
    policy: { reconcileTriesMax: 1 },
    commit: 7,
    say: async (said) => {
      if (said.asked.kind !== "outcome_unknown") return false;
      said.shop.look = "shows";
      await answer(said, { answer: "try_again" });
      return true;
    },
  },
  /** A restored store goes on; the call was not made in the time that is forgotten, or it was. */
  "restored, sent": {
    mood: "answers",
    earlier: "restored",
    commit: 3,
    say: restored({ answer: "happened" }),
  },
  "restored, happened": {
    mood: "answers",
    earlier: "restored and booked",
    commit: 3,
    say: restored(happened),
  },
  "restored, skipped": {
    mood: "answers",
    earlier: "restored and booked",
    commit: 3,
    say: restored({ answer: "skip" }),
  },
  /** The service wants somebody to sign in again: they have, and say so of the call or of all. */
  resumed: { ...signedOut, say: asAlways },
  renewed: {
    ...signedOut,
    say: async ({ host, asked }) => {
      if (asked.kind !== "action_needed") return false;
      await host.api("POST", "/accounts/shop/resume", {}).catch(() => {});
      return true;
    },
  },
  "signed out, stopped": { ...signedOut, say: stops("action_needed") },
  "failed, stopped": { mood: "refuses", commit: 6, say: stops("run_failed") },
  "exhausted, resumed": { ...away, commit: 9, say: asAlways },
  "exhausted, stopped": { ...away, commit: 9, say: stops("retries_exhausted") },
  "crashed, resumed": { ...crashed, commit: 3, say: asAlways },
  "crashed, stopped": { ...crashed, commit: 3, say: stops("crash_loop") },
  /** Somebody went on without it, and then it happened. */
  "contradicted, acknowledged": {
    mood: "books late",
    isPatient: true,
    // That of the late proof, which is in the inbox by then; the person's is the next.
    commit: 9,
    say: sayContradicted,
    sayUnasked: async ({ host, shop }) => {
      if (await wasSaid(host, "skip")) shop.answerHeld();
    },
    isOver: async ({ host, shop }) => {
      // A host that is gone before it hears of it has nothing to tell.
      return shop.bookedForNobody.length > 0 || wasSaid(host, "released");
    },
  },
  /** Held for so long that it is asked about as stale; somebody takes note, and lets it go. */
  "stale, acknowledged": {
    mood: "answers",
    policy: { staleInputMs: 1 },
    isSwept: true,
    // That of the call that is held; the host's word that it is stale comes next, then the answer.
    commit: 5,
    sayFirst: holdAll,
    say: sayStale,
    isOver: async ({ host }) => {
      const subjects = (await takenNoteOf(host)).map(({ subject }) => subject);
      if (new Set(subjects).size === subjects.length) return true;
      throw new Error("somebody was asked again about what they had taken note of");
    },
  },
  /** Nobody agreed in time: it is asked again, and they do. */
  expired: {
    mood: "answers",
    asksFirst: true,
    policy: { approvalMsMax: 1_000 },
    commit: 5,
    say: async ({ host, asked }) => {
      return asked.kind === "approval" && !(await wasSaid(host, "expired"));
    },
  },
} as const satisfies Readonly<Record<string, FurtherCourse>>;

export type FurtherName = keyof typeof furtherCourses;

export function furtherCourse(course: string): FurtherCourse | null {
  const all: Readonly<Record<string, FurtherCourse>> = furtherCourses;
  return all[course] ?? null;
}
