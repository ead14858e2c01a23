import { admitHeading, type Command, type Hash, HostError } from "@holdfast/core";

/** What every store says alike: nothing was written, and to call again does no harm. */

export function closedError(): HostError {
  return new HostError("STORE_CLOSED", {
    what: "The store has been closed.",
    remedy: "Open it again before use; stop the callers before closing it.",
    retry: "safe",
  });
}

export function unknownWorkflow(workflow: string): HostError {
  return new HostError("WORKFLOW_UNKNOWN", {
    what: `Nobody created ${JSON.stringify(workflow)}.`,
    remedy: "Check the name: `holdfast verify` lists the workflows that are there.",
    retry: "safe",
    details: { workflow },
  });
}

export function takenHost(incarnation: string): HostError {
  return new HostError("HOST_TAKEN", {
    what: `A host called ${JSON.stringify(incarnation)} was registered before.`,
    remedy: "Give every start of a host a name of its own, with a random part in it.",
    retry: "safe",
    details: { incarnation },
  });
}

export function unknownCursor(text: string): HostError {
  return new HostError("CURSOR_UNKNOWN", {
    what: `Nobody was given ${JSON.stringify(text)}.`,
    remedy: "Read everything once more, then follow the changes from a new cursor.",
    retry: "safe",
  });
}

export function missingBlob(workflow: string, hash: Hash): HostError {
  return new HostError("BLOB_MISSING", {
    what: `${workflow} has no payload ${hash}.`,
    remedy: "Restore it from a backup; `holdfast verify --full` says what it belongs to.",
    retry: "safe",
    details: { workflow, hash },
  });
}

export function reusedCommandId(
  { workflow, commandId }: Pick<Command, "workflow" | "commandId">,
  position: number,
): HostError {
  return new HostError("COMMAND_ID_REUSED", {
    what: `${workflow} has a command ${JSON.stringify(commandId)} of another kind or body.`,
    remedy: "Give each command its own id; repeat an id only with the very same command.",
    retry: "safe",
    details: { workflow, commandId, position },
  });
}

/** Broken text would be mended by a database: two ids could become one. */
export function requireHeading(command: Command): void {
  const fault = admitHeading(command);
  if (fault !== null) throw malformed(fault);
}

/** The name that every command of the workflow will carry. */
export function requireWorkflowName(workflow: string): void {
  const any = { commandId: "any", actor: "any", kind: "any", body: new Uint8Array(), at: 0 };
  requireHeading({ ...any, workflow });
}

function malformed(fault: string): HostError {
  return new HostError("COMMAND_MALFORMED", {
    what: fault,
    remedy: "Nothing was taken in: correct what is named here, then send it again.",
    retry: "safe",
  });
}
