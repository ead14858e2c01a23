import {
  type ChainAnswer,
  closeStepText,
  compileSet,
  type KnownOfStep,
  type MachineSet,
  type SetDeclaration,
  type StepAnswer,
  type StepCall,
  type StepChain,
  seedOf,
  stepTexts,
} from "@holdfast/core/machine/steps";
import type { PhaseCall, PhaseResult } from "../run/phase.ts";
import { asStepResult, decodeMigrations } from "./migrations.ts";
import { decodeChains, encodeAnswers } from "./step-messages.ts";

/** The machines of one version, as a thread that never saw them can run them. */
export type SentSet = {
  /** What they are kept under; the text is read once for each. */
  readonly hash: string;
  /** JSON of a `SetDeclaration`. */
  readonly text: string;
};

/** The value of a state, if it is known besides its bytes. */
type StateValue = KnownOfStep["state"];

export type KeptSet = { readonly set: MachineSet; readonly handlers: ReadonlyMap<string, string> };

export type StartPhase = (call: PhaseCall) => PhaseResult;

/** Versions that a thread keeps; more come and go. */
const keptMax = 32;
const kept = new Map<string, KeptSet>();

/** Every chain, step by step. Answers are in the order of the chains. */
export function runChains(
  sent: SentSet | null, // null = they are migrations
  calls: Uint8Array,
  start: StartPhase,
): Uint8Array {
  if (sent === null) {
    const answers = decodeMigrations(calls).map((call) => {
      const result = asStepResult(start(call));
      return faultOf(result) ?? closeStepText(returnedBy(result), null).answer;
    });
    return encodeAnswers(answers.map((answer) => [{ answer, left: null }]));
  }
  const own = setOf(sent);
  return encodeAnswers(decodeChains(calls).map((chain) => runChain(own, chain, start)));
}

function runChain(
  { set, handlers }: KeptSet,
  chain: StepChain,
  start: StartPhase,
): readonly ChainAnswer[] {
  const answers: ChainAnswer[] = [];
  let state = chain[0]?.state ?? null;
  let value: StateValue = null;
  for (const call of chain) {
    const handler = handlers.get(call.machine) ?? "";
    const machine = chain.length > 1 ? (set.machines.get(call.machine) ?? null) : null;
    const beside: Uint8Array[] = [];
    const texts = stepTexts(set, { ...call, state }, { state: value ?? null, beside });
    const result = start(new StepPhase(handler, texts, { call, beside }));
    const fault = faultOf(result);
    if (fault !== null) {
      answers.push({ answer: fault, left: null });
      break;
    }
    const { answer, left, leftValue } = closeStepText(returnedBy(result), machine);
    answers.push({ answer, left });
    if (left === null) break;
    [state, value] = [left, leftValue];
  }
  return answers;
}

/** One step, whose turn it is. */
export function runStep({ set, handlers }: KeptSet, call: StepCall, start: StartPhase): StepAnswer {
  const handler = handlers.get(call.machine) ?? "";
  const beside: Uint8Array[] = [];
  const result = start(new StepPhase(handler, stepTexts(set, call, { beside }), { call, beside }));
  return faultOf(result) ?? closeStepText(returnedBy(result), null).answer;
}

export function setOf({ hash, text }: SentSet): KeptSet {
  const known = kept.get(hash);
  if (known !== undefined) return known;
  const declared = JSON.parse(text) as SetDeclaration;
  const compiled = compileSet(declared);
  if (!compiled.ok) throw new Error("a set that could be compiled before");
  const handlers = new Map(
    declared.machines.map(({ name, version }) => [`${declared.workflow}/${name}@${version}`, name]),
  );
  if (kept.size >= keptMax) kept.clear();
  kept.set(hash, { set: compiled.set, handlers });
  return { set: compiled.set, handlers };
}

const nsPerMs = 1_000_000n;

type CalledWith = { readonly call: StepCall; readonly beside: readonly Uint8Array[] };

/** A step has no powers: what it may know of time and chance is its event's. */
class StepPhase implements PhaseCall {
  readonly phase = "step";
  readonly handler: string;
  readonly given: PhaseCall["given"];
  readonly connections = {};
  readonly subscribe = [];
  readonly publishes = [];
  readonly mutateReads = "none";
  readonly beside: readonly Uint8Array[];
  readonly #call: StepCall;

  constructor(handler: string, given: PhaseCall["given"], { call, beside }: CalledWith) {
    this.handler = handler;
    this.given = given;
    this.beside = beside;
    this.#call = call;
  }

  get now(): number {
    return Number(this.#call.nowNs / nsPerMs);
  }

  /** Most steps never ask for it. */
  get seed(): string {
    return Buffer.from(seedOf(this.#call)).toString("hex");
  }
}

function returnedBy(result: PhaseResult): string | null {
  return result.kind === "returned" ? result.value : null;
}

/**
 * Null = it returned. What the engine says in words does not get into a record; what a clock did is
 * from outside.
 */
function faultOf(result: PhaseResult): StepAnswer | null {
  if (result.kind === "returned") return null;
  if (result.kind === "mutation") throw new Error("A step made a call.");
  const { code, message: note } = result.failure;
  switch (code) {
    case "SCRIPT_FUEL":
      return { kind: "fault", code: "step.fuel", note };
    case "SCRIPT_HEAP":
    case "SCRIPT_STACK":
      return { kind: "fault", code: "step.memory", note };
    case "SCRIPT_VALUE":
    case "SCRIPT_VALUE_SIZE":
      return { kind: "fault", code: "step.output_unreadable", note };
    case "SCRIPT_RUNNING_TIME":
    case "SCRIPT_ENGINE":
      return { kind: "killed", reason: code };
    default:
      return { kind: "fault", code: "step.threw", note };
  }
}
