import { contentSha256 } from "../canonical/index.ts";
import { invariant } from "../ports/invariant.ts";
import { applyOutput } from "./apply-output.ts";
import type { Asking } from "./ask.ts";
import { hashOfBytes } from "./hash-bytes.ts";
import { contextSchema } from "./host-schemas.ts";
import { judgeOutput, type Turn } from "./judge-output.ts";
import type { Kernel } from "./kernel.ts";
import { isReadyAway, loadAhead } from "./state/load-cells.ts";
import { type StepAnswer, type StepCall, type StepEvent, StepFault } from "./step.ts";

/** One step of the cell whose turn it is, which is loaded first if it is not at hand. */
export function* takeTurn(kernel: Kernel): Asking<void> {
  if (isReadyAway(kernel)) yield* loadAhead(kernel);
  const [id] = kernel.ring;
  const turn = turnOf(kernel, id);
  const eventHash = eventHashOf(turn);
  const answer = yield callOf(kernel, turn, eventHash);
  invariant(answer.kind !== "loaded", "who is asked for a step answers with one");
  finish(kernel, turn, answer, eventHash);
}

/**
 * The call for one of the things that wait for a cell, counted from the one it is called for next;
 * null = so many do not wait. It is the one that will come if nothing else changes the cell.
 */
export function foreseeCall(
  kernel: Kernel,
  cellId: string,
  { at, state }: { readonly at: number; readonly state: Uint8Array | null },
): StepCall | null {
  const cell = kernel.cells.get(cellId);
  const mail = cell?.mailbox.at(at) ?? null;
  const machine = cell === undefined ? undefined : kernel.set.machines.get(cell.machine);
  if (cell === undefined || mail === null || machine === undefined) return null;
  if (cell.isAway) return null;
  const turn = { machine, cell, mail };
  const eventHash = machine.context ? eventHashOf(turn) : noHash;
  return { ...callOf(kernel, turn, eventHash), state };
}

/** Where no context says it, nobody looks at it. */
const noHash = new Uint8Array();

function eventHashOf(turn: Turn): Uint8Array {
  const { schema, value, key } = eventOf(turn);
  return contentSha256({ schema, value, key });
}

function callOf(kernel: Kernel, turn: Turn, eventHash: Uint8Array): StepCall {
  const { machine, cell, mail } = turn;
  return {
    version: 1,
    manifestHash: kernel.set.manifestHash,
    machine: machine.name,
    state: cell.state,
    event: eventOf(turn),
    ctx: contextOf(turn, eventHash),
    nowNs: mail.stamp.logicalNowNs,
    entropy: mail.stamp.entropy,
  };
}

function turnOf(kernel: Kernel, id: string | undefined): Turn {
  const cell = id === undefined ? undefined : kernel.cells.get(id);
  const mail = cell?.mailbox.at(0) ?? null;
  invariant(cell !== undefined && mail !== null, "a cell in the ring has something to do");
  const machine = kernel.set.machines.get(cell.machine);
  invariant(machine !== undefined, "a cell in the ring has its machine");
  return { machine, cell, mail };
}

function eventOf({ machine, cell, mail }: Turn): StepEvent {
  return { schema: machine.event.schemaName, value: mail.value, key: cell.key };
}

function contextOf({ machine, cell, mail }: Turn, eventHash: Uint8Array): Uint8Array | null {
  if (!machine.context) return null;
  const { stamp } = mail;
  return contextSchema.encode({
    now_ns: stamp.nowNs,
    logical_now_ns: stamp.logicalNowNs,
    journal_height: stamp.height,
    entropy: stamp.entropy,
    event_hash: hashOfBytes(eventHash),
    manifest_hash: stamp.manifestHash,
    workflow: machine.name,
    workflow_hash: machine.hash,
    key: cell.key,
    cell_mode: machine.key !== null,
  });
}

/** A step counts whole or not at all: whatever is wrong with it, only its fault is recorded. */
function finish(kernel: Kernel, turn: Turn, answer: StepAnswer, eventHash: Uint8Array): void {
  kernel.ring.delete(turn.cell.id);
  if (answer.kind === "output") {
    try {
      applyOutput(kernel, turn, judgeOutput(kernel, turn, answer.output), eventHash);
    } catch (error) {
      if (!(error instanceof StepFault)) throw error;
      failStep(kernel, turn, { code: error.code, note: error.message, eventHash });
    }
    return;
  }
  if (answer.kind === "fault") {
    failStep(kernel, turn, { code: answer.code, note: answer.note, eventHash });
    return;
  }
  turn.cell.failed = "step";
  const seq = kernel.write(
    { kind: "step_killed", outside: true, cause: turn.mail.stamp.height },
    { ...poisonOf(turn, eventHash), reason: answer.reason },
  );
  publishStop(kernel, turn, seq, `it was ended (${answer.reason})`);
}

type Fault = { readonly code: string; readonly note: string; readonly eventHash: Uint8Array };

/** The event stays at the head of the mailbox until a person has it tried again or dropped. */
function failStep(kernel: Kernel, turn: Turn, { code, note, eventHash }: Fault): void {
  turn.cell.failed = "step";
  const cause = turn.mail.stamp.height;
  const fields = { ...poisonOf(turn, eventHash), code };
  const seq = kernel.writeCustom("workflow.step_fault", cause, fields);
  kernel.note(seq, code, note);
  publishStop(kernel, turn, seq, note === "" ? code : `${code}: ${note}`);
}

function publishStop(kernel: Kernel, { cell, mail }: Turn, seq: number, why: string): void {
  const { machine, key } = cell;
  kernel.publish({ kind: "stopped", seq, cell: { machine, key }, why, root: mail.root });
}

function poisonOf({ cell }: Turn, eventHash: Uint8Array) {
  return { machine: cell.machine, key: cell.key, event_hash: eventHash };
}
