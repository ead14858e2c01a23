import { receiveInput } from "../frame/machine-input.ts";
import { type Draft, refuse } from "../journal/decision.ts";
import type { Refusal } from "../journal/refusal.ts";
import { admitId, admitSize, admitTitle } from "../policy/admit.ts";
import { pinPayload } from "../view/payload.ts";
import type { EventRow } from "../view/rows.ts";
import { type InputKey, inputIdOf } from "./input-id.ts";
import { whyNotInSchema } from "./payload-schema.ts";

export type Publication = {
  readonly topic: string;
  readonly messageId: string;
  readonly payload: Uint8Array;
  readonly title: string | null;
  readonly createdBy: string | null;
  readonly causedBy: readonly string[];
  /** Absent = it is new. */
  readonly older?: boolean;
};

/** Registering twice is registering once; the first title stays. */
export function registerInput(draft: Draft, input: InputKey & { title: string }): Refusal | null {
  const { source, type, externalId } = input;
  const { policy } = draft.view;
  const bad =
    admitId(policy, "input source", source) ??
    admitId(policy, "input type", type) ??
    admitId(policy, "input id", externalId, policy.externalIdBytesMax);
  if (bad) return bad;
  const inputId = inputIdOf(input);
  if (draft.view.find("inputs", inputId)) return null;
  const title = admitTitle(draft.view.policy, input.title);
  draft.emit({ kind: "input_registered", inputId, source, type, externalId, title });
  return null;
}

/** A known messageId never makes a second event and never changes a status. */
export function publish(
  draft: Draft,
  publication: Publication,
  { isOfMachine = false } = {},
): Refusal | null {
  const { topic, messageId, payload, causedBy } = publication;
  const { policy } = draft.view;
  const declared = draft.view.find("topics", topic);
  if (!declared?.declared) return refuse("topic_not_declared", `No topic ${topic} is declared.`);
  const bad =
    admitId(policy, "messageId", messageId) ??
    admitSize(`payload of ${topic} ${messageId} in bytes`, payload.length, policy.payloadBytesMax);
  if (bad) return bad;
  const misfit = whyNotInSchema(declared, publication);
  if (misfit) return misfit;
  const known = draft.view.find("events", topic, messageId);
  if (known) {
    republish(draft, known, publication);
    return null;
  }
  publishNew(draft, publication, declared.observed);
  // What a machine says has reached the other machines with its step already.
  if (declared.machines && !isOfMachine) {
    const older = publication.older ? ({ older: true } as const) : {};
    const causes = causedBy.length === 0 ? {} : { causedBy };
    const input = { kind: "event", topic, messageId, value: payload } as const;
    receiveInput(draft, { ...input, ...causes, ...older });
  }
  return null;
}

function publishNew(draft: Draft, publication: Publication, observed: boolean): void {
  const { topic, messageId, createdBy } = publication;
  const { payload, blob } = pinPayload(publication.payload);
  const title =
    publication.title === null ? null : admitTitle(draft.view.policy, publication.title);
  const causedBy = [...new Set(publication.causedBy)].sort();
  draft.store(blob);
  draft.emit({
    kind: "event_published",
    topic,
    messageId,
    payload,
    title,
    createdBy,
    causedBy,
    observed,
    ...(publication.older ? { older: true } : {}),
  });
}

function republish(draft: Draft, known: EventRow, publication: Publication): void {
  const { payload, blob } = pinPayload(publication.payload);
  const newCauses = [...new Set(publication.causedBy)].filter((id) => !known.causedBy.includes(id));
  const title =
    publication.title === null ? known.title : admitTitle(draft.view.policy, publication.title);
  const older = known.older || (publication.older ?? false);
  const same =
    payload.hash === known.payload.hash && title === known.title && older === known.older;
  if (same && newCauses.length === 0) return;
  const { topic, messageId } = known;
  const causedBy = [...new Set([...known.causedBy, ...newCauses])].sort();
  if (known.status === "pending") {
    draft.store(blob);
    const replacedBy = publication.createdBy;
    draft.emit({
      kind: "event_replaced",
      topic,
      messageId,
      payload,
      title,
      replacedBy,
      causedBy,
      newCauses,
      ...(older ? { older } : {}),
    });
    return;
  }
  draft.emit({
    kind: "republish_noted",
    topic,
    messageId,
    payloadHash: payload.hash,
    republishedBy: publication.createdBy,
    causedBy,
    newCauses,
    lateCount: known.lateCount + 1,
  });
}
