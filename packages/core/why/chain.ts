import type { Instant } from "../view/rows.ts";
import type { View } from "../view/view.ts";
import type { Cause, DueWork } from "./cause.ts";
import type { SubjectState, Witness } from "./explanation.ts";

/** What is asked: about which rows, when, and what the journal adds to them. */
export type Question = { readonly view: View; readonly now: Instant; readonly witness: Witness };

/** From a subject to what it waits for in the end. */
export type Chain = { readonly state: SubjectState; readonly because: readonly Cause[] };

export function moving(work: DueWork): Chain {
  return { state: "moving", because: [{ kind: "due_now", work }] };
}

export function waiting(...because: readonly Cause[]): Chain {
  const wedged = because.some(({ kind }) => kind === "unexplained");
  return { state: wedged ? "unexplained" : "waiting", because };
}

export function done(cause: Cause): Chain {
  return { state: "done", because: [cause] };
}

export function unexplained(note: string): Chain {
  return waiting({ kind: "unexplained", note });
}

/** The chain of what stands before it, seen from behind. */
export function after(cause: Cause, chain: Chain): Chain {
  return { state: chain.state, because: [cause, ...chain.because] };
}
