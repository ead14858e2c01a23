/** What went wrong with a call, in the words of runs. */
import { type Connected, ConnectorError } from "@holdfast/connector-kit";
import { CanonicalError, type OperationName, type RunFailure } from "@holdfast/core";
import type { ReadOutcome, SentCall } from "../engine/ports.ts";

export function nameOf(call: OperationName): string {
  return `${call.connection}.${call.operation}`;
}

export function failureOf(error: unknown, location: string): RunFailure {
  const kind = error instanceof ConnectorError ? error.class : classOf(error);
  return { class: kind, message: textOf(error), location };
}

/** A person has to mend the account, so it is named. */
export function failureAt({ account }: Connected, error: unknown, location: string): RunFailure {
  const failure = failureOf(error, location);
  if (failure.class !== "auth" && failure.class !== "permission") return failure;
  return { ...failure, message: `account ${account}: ${failure.message}`, account };
}

/** What is no connector's error is a mistake of the connector, or a value without bytes. */
function classOf(error: unknown): "logic" | "internal" {
  return error instanceof CanonicalError ? "logic" : "internal";
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The account has changed since the call was recorded: it was meant for somebody else. */
export function moved(call: SentCall, target: string): RunFailure {
  const message = `the call was recorded for ${call.target}, and would now go to ${target}`;
  return { class: "precondition", message, location: nameOf(call) };
}

type Definite = Extract<ReadOutcome, { says: "failed" }>["failure"];

export function definite(failure: RunFailure): Definite {
  const kind = failure.class === "indeterminate" ? "internal" : failure.class;
  return { ...failure, class: kind };
}
