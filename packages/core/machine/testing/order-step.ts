import type { StepReturn } from "../step-return.ts";
import type { OrderEvent, OrderState } from "./sample-set.ts";

/** Does what the event says: `book`, `look`, `twice`, `throw`, `end`, `done`, `undeclared` … */
export function orderStep(state: OrderState, event: OrderEvent): StepReturn {
  const saw = event.$tag === "Placed" ? event.$value.say : wordFor(event);
  const next = { log: [...(state?.log ?? []), saw] };
  const book = {
    effect: "http/book@1",
    params: { id: event.$value.id ?? "" },
    issuerRef: saw,
  };
  switch (saw) {
    case "book":
      return { state: next, effects: [book] };
    case "look":
      return { state: next, effects: [{ ...book, effect: "http/look@1" }] };
    case "twice":
      return { state: next, effects: [book, book] };
    case "tell":
      return { state: next, events: [{ topic: "order.booked", payload: { id: "b" } }] };
    case "throw":
      throw new Error("as told");
    case "end":
      return { state: null };
    case "done":
      return { state: next, done: true };
    case "end-with-effect":
      return { state: null, effects: [book] };
    case "undeclared":
      return { state: next, effects: [book, { ...book, effect: "http/pay@1" }] };
    case "bare":
      return { state: next, effects: [{ effect: "timer.set", params: { deliver_at_ns: 5n } }] };
    case "bad-params":
      return { state: next, effects: [book, { ...book, params: { id: 1 } }] };
    case "bad-state":
      return { state: { log: [1] }, effects: [book] };
    case "bad-event":
      return {
        state: next,
        events: [
          { topic: "order.booked", payload: { id: "b" } },
          { topic: "order.booked", payload: { id: 7 } },
        ],
      };
    case "no-topic":
      return { state: next, events: [{ topic: "order.gone", payload: {} }] };
    case "fraction":
      return { state: { log: next.log, extra: 0.5 } };
    case "unreadable":
      return { state: { log: [() => 1] } };
    case "annotated":
      return { state: next, annotations: { why: "x" } };
    default:
      return { state: next };
  }
}

function wordFor({ $tag, $value }: OrderEvent): string {
  if ($tag === "Receipt") return `receipt ${$value.status} of ${$value.issuer_ref ?? "?"}`;
  return $tag === "Rejected" ? `rejected ${$value.error_code}` : `frame ${$value.seq}`;
}
