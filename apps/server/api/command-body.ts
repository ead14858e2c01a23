import {
  type CanonicalValue,
  encodeCanonical,
  everyBrake,
  type InboxKind,
  inboxKinds,
} from "@holdfast/core";
import { readTagged } from "@holdfast/core/machine";
import { ApiProblem } from "./problem.ts";

type Json = Readonly<Record<string, CanonicalValue>>;

/** What JSON leaves out or cannot say: bytes are values here, and what is not given is null. */
const fromJson: Partial<Record<InboxKind, (body: Json) => Json>> = {
  publish_event: ({ payload = null, title = null, ...rest }) => ({
    ...rest,
    title,
    payload: encodeCanonical(payload),
  }),
  send_to_machine: ({ key = null, event = null, ...rest }) => ({
    ...rest,
    key: key === null ? null : exactBytes(key),
    value: exactBytes(event),
  }),
  // Bytes come from a question about the cell; JSON has none.
  restart_cell: ({ key = null, ...rest }) => ({
    ...rest,
    key: key === null || key instanceof Uint8Array ? key : exactBytes(key),
  }),
  set_brake: ofOneWorkflow,
  release_brake: ofOneWorkflow,
  resolve_mutation: ({ answer, ...rest }) => ({ ...rest, answer: resolutionOf(answer) }),
};

/** The brake on all is the store's: one that had it alone, or lost it, would contradict it. */
function ofOneWorkflow(body: Json): Json {
  if (body["operation"] !== everyBrake) return body;
  throw new ApiProblem(422, "REQUEST_INVALID", "The brake on all workflows is set for all.", {
    remedy: "Use `holdfast brake on --all` and `holdfast brake off --all`, or POST /api/v1/brake.",
  });
}

/** What JSON has no form for, large integers and bytes, is said as steps have it. */
function exactBytes(value: CanonicalValue): Uint8Array {
  return encodeCanonical(readTagged(JSON.stringify(value)) as CanonicalValue);
}

/** These have their own ways in, which make what they have to say. */
const notHere = new Set<string>([
  "activate_version",
  "set_envelope",
  "edit_mutation",
  "propose_version",
  "shadow_version",
]);

export function requireKind(kind: string): void {
  if ((inboxKinds as readonly string[]).includes(kind) && !notHere.has(kind)) return;
  const kinds = inboxKinds.filter((each) => !notHere.has(each)).join(", ");
  throw new ApiProblem(422, "REQUEST_INVALID", `There is no command ${kind}.`, {
    remedy: `Commands are: ${kinds}.`,
  });
}

export function commandBody(kind: string, body: Json): Json {
  requireKind(kind);
  return fromJson[kind as InboxKind]?.(body) ?? body;
}

function resolutionOf(answer: CanonicalValue | undefined): CanonicalValue {
  const said = answer as Json | null | undefined;
  if (said?.["says"] === "happened") {
    const { result = null } = said;
    return { ...said, result: result === null ? null : encodeCanonical(result) };
  }
  if (said?.["says"] === "did_not_happen") {
    // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
    return { then: null, ...said };
  }
  return answer ?? null;
}
