import type { Cause } from "./why.ts";

/** What it waits for in the end, in the words of the person; null = the host's own are used. */
export function sayCause(cause: Cause): string | null {
  switch (cause.kind) {
    case "person_asked":
      return "It waits for your answer.";
    case "backing_off":
      return "The service could not be reached or said “later”. It is tried again.";
    case "in_flight":
      return "It is being sent, and the answer is waited for.";
    case "finding_out":
      return "It was sent and not confirmed: the service is asked whether it happened.";
    case "call_waits":
      return "It is written down and waits for its turn to be sent.";
    case "awaits_executor":
      return "It is written down. The program that makes such calls is not there.";
    case "nothing_to_do":
      return cause.until == null
        ? "Nothing is left to do until something new comes in."
        : "Nothing is left to do until the next check.";
    case "due_now":
      return "It is its turn now.";
    case "commands_waiting":
      return "Something was asked of it, and it comes to that next.";
    case "no_events_yet":
      return "Nothing was made of it yet.";
    default:
      return null;
  }
}
