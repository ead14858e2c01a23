import {
  type CoreCommand,
  decodeCanonical,
  type EventRef,
  type Instant,
  intentKeysOf,
  type MutationRow,
  pinPayload,
  type RecordIntent,
  type Store,
  type View,
} from "@holdfast/core";
import type { OpenIntent } from "@holdfast/core/machine";
import { askFor, isCovered, verdictOf } from "../engine/judged-call.ts";
import type { Permissions } from "../engine/permissions.ts";
import type { OutsideWorld } from "../engine/ports.ts";
import { describeCall } from "../engine/record-call.ts";
import { bytesOf } from "../engine/values.ts";
import { plainValue } from "../queries/plain-value.ts";
import { deadline, isPast } from "./deadlines.ts";
import { callOrFault } from "./effect-call.ts";
import type { Held } from "./held-calls.ts";
import { canceled } from "./receipts.ts";

type Parts = {
  readonly store: Pick<Store, "loadBlob">;
  readonly outside: OutsideWorld;
  readonly permissions: Permissions;
  /** The call that stands under a key; null = none does, as far as is known here. */
  readonly findByKey: (view: View, mutationKey: string) => Promise<MutationRow | null>;
};

export type Recorded = {
  readonly held?: undefined;
  readonly command: CoreCommand;
  /** It counts against a limit: what is judged next has to see it in the ledger. */
  readonly isCounted: boolean;
};

type Asked = {
  readonly view: View;
  readonly now: Instant;
  readonly older: boolean;
  /** Of a topic, that led to it in the end; null = none that is known did. */
  readonly event: EventRef | null;
};

/**
 * What becomes of an intent that changes something: a row of the ledger, or a definite no; or it
 * waits for a person, because no grant lets it through.
 */
export async function commandFor(
  parts: Parts,
  intent: OpenIntent,
  { view, now, older, event }: Asked,
): Promise<Recorded | { readonly held: Held }> {
  const { outside, permissions } = parts;
  const refuse = (code: string, message: string): Recorded => ({
    command: { kind: "refuse_intent", intentId: intent.id, failure: { code, message } },
    isCounted: false,
  });
  if (intent.cancelAsked) return refuse(canceled, "it was canceled before it was sent");
  if (isPast(intent, now)) return refuse(deadline, "its deadline passed before it was sent");
  const call = callOrFault(outside, intent);
  if ("fault" in call) return refuse("logic", call.fault);
  const described = describeCall(outside, call);
  if ("class" in described) return refuse(described.class, described.message);
  const { preview, keyed, ...toRecord } = described;
  const { connection, operation } = call;
  const params = decodeCanonical(toRecord.payload);
  const asked = { connection, operation, params, runId: null, mutationId: null };
  const judged = await permissions.judge(view, asked);
  const name = `${connection}.${operation}`;
  if (!isCovered(judged)) {
    const { envelope } = view.load("workflows");
    const about = {
      intentId: intent.id,
      operation: name,
      envelope,
      why: judged.why,
      account: null,
    };
    if (judged.says === "deny") return { held: { ...about, reason: "permission", until: null } };
    return { held: { ...about, reason: "budget", until: judged.freeAt } };
  }
  const { hash: payloadHash } = pinPayload(toRecord.payload).payload;
  const { target, connectorVersion } = toRecord;
  const previewed = { operation: name, target, connectorVersion, preview, payloadHash };
  const { fourEyes, amount } = judged;
  const expiresAt = now + view.policy.approvalMsMax;
  const command = {
    kind: "record_intent",
    connection,
    operation,
    ...toRecord,
    verdict: verdictOf(view, judged, keyed),
    amount,
    ...(judged.says === "ask"
      ? { ask: askFor(previewed, { fourEyes, expiresAt }) }
      : { ask: null, described: preview }),
    older,
    ...originOf(intent),
    ...(event === null ? {} : { event }),
  } as const;
  const like = await likeOf(parts, view, command);
  const recorded = like === null ? command : { ...command, like };
  return { command: recorded, isCounted: judged.isLimited };
}

/** Of other bytes under a key that is taken: whether they are the same change to its connector. */
async function likeOf(
  { store, outside, findByKey }: Parts,
  view: View,
  command: Omit<RecordIntent, "like">,
): Promise<string | null> {
  if (command.requestedKey === null || outside.compare === undefined) return null;
  const { mutationKey } = intentKeysOf(view.workflow, command);
  const taken = await findByKey(view, mutationKey);
  if (taken === null) return null;
  const before = await bytesOf(store, view.workflow, taken.payload);
  const says = outside.compare(command, { before, after: command.payload });
  return says === "significant" ? null : taken.payloadHash;
}

function originOf({ id, machine, key, requestedKey }: OpenIntent) {
  const asked = requestedKey === null ? null : String(decodeCanonical(requestedKey));
  return {
    intentId: id,
    machine,
    cellKey: key,
    requestedKey: asked,
    title: titleOf(machine, key),
  };
}

/** As people know it: `parcel p-1`. What is asked for is shown beside it, as it will be sent. */
function titleOf(machine: string, key: Uint8Array | null): string {
  const [, name = machine] = /\/(.+)@\d+$/.exec(machine) ?? [];
  if (key === null) return name;
  const shown = plainValue(decodeCanonical(key));
  return `${name} ${typeof shown === "string" ? shown : JSON.stringify(shown)}`;
}
