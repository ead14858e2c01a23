import { encodeCanonical, sha256 } from "../canonical/index.ts";
import { writeEvent } from "./admit-event.ts";
import { deliverOutcome } from "./continuation.ts";
import { intentRecord, type OpenIntent } from "./intent.ts";
import type { JudgedEvent, JudgedOutput, Turn } from "./judge-output.ts";
import type { Kernel } from "./kernel.ts";
import { paramsFields } from "./out-of-line.ts";
import { childStamp } from "./stamp.ts";
import { keepState } from "./state/resident-cells.ts";

/** The consequences of a good output, in this order: state, events, effects. Cannot fail. */
export function applyOutput(
  kernel: Kernel,
  turn: Turn,
  output: JudgedOutput,
  eventHash: Uint8Array,
): void {
  const { cell, mail } = turn;
  const older = kernel.older?.noteStep(cell, mail) ?? false;
  cell.mailbox.dropFirst();
  const stateHash = output.state === null ? null : sha256(output.state);
  keepState(kernel, cell, output.state, stateHash);
  const hasEnded = output.state === null;
  cell.completed = !hasEnded && (cell.completed || output.done);
  cell.lastEventSeq = hasEnded ? 0 : mail.stamp.height;
  cell.moduleVersion = hasEnded ? "" : kernel.set.moduleVersion;
  const abandoned = hasEnded ? endCell(kernel, turn) : [];
  const stepSeq = kernel.write(
    { kind: "step", outside: false, cause: mail.stamp.height },
    {
      machine: cell.machine,
      key: cell.key,
      event_hash: eventHash,
      state_hash: stateHash,
      done: output.done,
      annotations: output.annotations,
      abandoned: abandoned.map(({ hash }) => hash),
    },
  );
  for (const event of output.events) emitEvent(kernel, turn, event, { stepSeq, older });
  for (const intent of output.intents) openOrRefuse(kernel, turn, intent, stepSeq);
  kernel.makeReady(cell);
  kernel.forgetEmpty(cell);
}

/** Continuations that wait belong to the life that ends here; events begin the next one. */
function endCell(kernel: Kernel, { cell }: Turn): readonly OpenIntent[] {
  cell.mailbox.keep(({ intentId }) => intentId === null);
  return kernel.abandonIntents(cell, kernel.seq + 1);
}

function emitEvent(
  kernel: Kernel,
  turn: Turn,
  event: JudgedEvent,
  { stepSeq, older }: { readonly stepSeq: number; readonly older: boolean },
): void {
  const { cell, mail } = turn;
  const { topic, messageId, value, key, targets } = event;
  const seq = writeEvent(kernel, {
    outside: false,
    cause: stepSeq,
    topic,
    machine: null,
    messageId,
    ingressKey: key,
    value,
    targets,
    depth: mail.depth + 1,
    from: { machine: cell.machine, key: cell.key },
    stamp: childStamp(mail.stamp, kernel.seq + 1),
    older,
    root: mail.root,
  });
  const said = { topic, messageId, value };
  kernel.publish({ kind: "event", seq, event: said, older, root: mail.root });
}

function openOrRefuse(kernel: Kernel, turn: Turn, intent: OpenIntent, stepSeq: number): void {
  const limit = passedLimit(kernel, turn, intent);
  const heading = { kind: "effect_intent", outside: false, cause: stepSeq };
  const seq = kernel.write(heading, intentRecord(intent, paramsFields(kernel, intent)));
  kernel.openIntent(intent, turn.cell);
  if (limit === null) {
    kernel.publish({ kind: "start", seq, intent });
    return;
  }
  refuseForCapacity(kernel, turn, intent, { limit, intentSeq: seq });
}

function passedLimit(kernel: Kernel, { cell }: Turn, { effect }: OpenIntent): string | null {
  const { limits } = kernel;
  if (kernel.intents.size >= limits.openIntentsMax) return "openIntentsMax";
  if (cell.open.size >= limits.openIntentsPerCellMax) return "openIntentsPerCellMax";
  return kernel.openCountOf(effect) >= limits.openIntentsPerEffectMax
    ? "openIntentsPerEffectMax"
    : null;
}

/** Never sent. The step hears of it as of any other definite failure, and decides. */
function refuseForCapacity(
  kernel: Kernel,
  { mail }: Turn,
  intent: OpenIntent,
  { limit, intentSeq }: { readonly limit: string; readonly intentSeq: number },
): void {
  const { machine, key, hash } = intent;
  const fields = { machine, key, intent_hash: hash, limit };
  const seq = kernel.writeCustom("workflow.over_capacity", intentSeq, fields);
  const payload = encodeCanonical({ code: "over_capacity", message: "too much is open already" });
  const outcome = {
    status: "error",
    payload,
    costCents: null,
    signature: new Uint8Array(),
  } as const;
  // Deeper than the event at hand, so that a step which asks again and again comes to an end.
  const place = { seq, stamp: childStamp(mail.stamp, seq), depth: mail.depth + 1 };
  deliverOutcome(kernel, intent, outcome, place);
}
