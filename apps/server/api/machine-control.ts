import { type CanonicalValue, decodeCanonical } from "@holdfast/core";
import { exactText, type Refused, unhex } from "@holdfast/core/machine";
import { type Control, judgeControl, nullIfUnopened } from "@holdfast/host";
import type { VerdictAnswer } from "@holdfast/protocol";
import { type Asked, requireReachOf, toldBefore } from "./asking.ts";
import { type MachineParts, readPartsOf } from "./machines.ts";
import { ApiProblem } from "./problem.ts";

type Body = Readonly<Record<string, CanonicalValue>>;

/**
 * A restart and a cancel are looked at before they become durable, so that whoever asks hears what
 * is wrong: the machines are silent about what they refuse later. An answer to a question is not:
 * the question says what it is about. Said twice under one key, it is answered as before; null =
 * it is to be asked.
 */
export async function judgeMachineControl(
  parts: MachineParts,
  workflow: string,
  asked: Asked & { readonly body: Body },
): Promise<VerdictAnswer | null> {
  const control = asked.question === undefined ? controlOf(asked) : null;
  if (control === null) return null;
  requireReachOf(asked, workflow);
  const { store } = parts;
  const told = await toldBefore(store, workflow, asked);
  if (told !== null) return told;
  // Where the machines cannot be opened, which they say themselves, it waits until they can be.
  const refused = await judgeControl(readPartsOf(parts, workflow), control).catch(nullIfUnopened);
  if (refused === null) return null;
  // Sent twice, the first may have been served meanwhile.
  const since = await toldBefore(store, workflow, asked);
  if (since !== null) return since;
  const { code } = refused;
  throw new ApiProblem(409, "COMMAND_REFUSED", detailOf(control, refused), {
    refusal: code,
    remedy: `Nothing was changed. ${remedyOf(control, workflow)}`,
  });
}

const intentForm = /^[0-9a-f]{64}$/;

/** Null = it is another command, or not in its form, which its rule says. */
function controlOf({ kind, body, actor }: Asked & { readonly body: Body }): Control | null {
  const { intentId, machine, key, poison } = body;
  if (kind === "cancel_intent" && typeof intentId === "string" && intentForm.test(intentId)) {
    return { kind: "cancel", intentHash: unhex(intentId), actor };
  }
  if (kind !== "restart_cell" || typeof machine !== "string") return null;
  if (poison !== "redeliver" && poison !== "drop") return null;
  return { kind: "restart", machine, key: key instanceof Uint8Array ? key : null, poison, actor };
}

function detailOf(control: Control, { code, note }: Refused): string {
  if (control.kind === "cancel") {
    return code === "intent.settled"
      ? `${code}: the intent ${note} has its outcome already.`
      : `${code}: there is no intent ${note}.`;
  }
  const name = `${control.machine}${control.key === null ? "" : ` ${keyText(control.key)}`}`;
  return code === "instance.unknown"
    ? `${code}: there is no cell ${name}.`
    : `${code}: the cell ${name} is ${note}; only a failed one is restarted.`;
}

function remedyOf({ kind }: Control, workflow: string): string {
  return kind === "cancel"
    ? `\`holdfast machine intents ${workflow}\` lists what is open.`
    : `\`holdfast machine cells ${workflow} --status failed\` lists what can be restarted.`;
}

function keyText(key: Uint8Array): string {
  return exactText(decodeCanonical(key));
}
