import { HostError } from "@holdfast/core";
import type { StepEnded } from "@holdfast/core/machine";

/** Says nothing about the journal: it is tried again, once the machine has time for it. */
export function stepTooSlow(cause: StepEnded): HostError {
  return new HostError("STEP_TOO_SLOW", {
    what: cause.message,
    remedy:
      "The journal could be neither confirmed nor refuted. Holdfast tries again by itself; see " +
      "what else keeps this machine busy.",
    retry: "safe",
    cause,
    details: { reason: cause.reason },
  });
}
