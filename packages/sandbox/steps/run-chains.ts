import {
  type ChainAnswer,
  closeStepReturn,
  compileSet,
  guestTexts,
  type MachineSet,
  openStepCall,
  readTagged,
  type SetDeclaration,
  type StepAnswer,
  type StepCall,
  type StepChain,
  seedOf,
  stateLeft,
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

type KeptSet = { readonly set: MachineSet; readonly handlers: ReadonlyMap<string, string> };

/** Versions that a thread keeps; more come and go. */
const keptMax = 32;
const kept = new Map<string, KeptSet>();

/** Every chain, step by step. Answers are in the order of the chains. */
export function runChains(
  sent: SentSet | null, // null = they are migrations
  calls: Uint8Array,
  start: (call: PhaseCall) => PhaseResult,
): Uint8Array {
  if (sent === null) {
    const answers = decodeMigrations(calls).map((call) => answerOf(asStepResult(start(call))));
    return encodeAnswers(answers.map((answer) => [{ answer, left: null }]));
  }
  const own = setOf(sent);
  return encodeAnswers(decodeChains(calls).map((chain) => runChain(own, chain, start)));
}

function runChain(
  { set, handlers }: KeptSet,
  chain: StepChain,
  start: (call: PhaseCall) => PhaseResult,
): readonly ChainAnswer[] {
  const answers: ChainAnswer[] = [];
  let state = chain[0]?.state ?? null;
  for (const call of chain) {
    const handler = handlers.get(call.machine) ?? "";
    const machine = set.machines.get(call.machine);
    const answer = answerOf(start(phaseCall(set, handler, { ...call, state })));
    const isFollowed = chain.length > 1 && machine !== undefined;
    const left = isFollowed ? stateLeft(machine, answer) : null;
    answers.push({ answer, left });
    if (left === null) break;
    state = left;
  }
  return answers;
}

function setOf({ hash, text }: SentSet): KeptSet {
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

/** A step has no powers: what it may know of time and chance is its event's. */
function phaseCall(set: MachineSet, handler: string, call: StepCall): PhaseCall {
  const { state, event, ctx } = openStepCall(set, call);
  return {
    phase: "step",
    handler,
    given: guestTexts({ state, event, context: ctx }),
    connections: {},
    subscribe: [],
    publishes: [],
    mutateReads: "none",
    now: Number(call.nowNs / nsPerMs),
    get seed() {
      return Buffer.from(seedOf(call)).toString("hex");
    },
  };
}

/** What the engine says in words does not get into a record; what a clock did is from outside. */
function answerOf(result: PhaseResult): StepAnswer {
  if (result.kind === "returned") {
    return closeStepReturn(result.value === null ? null : readTagged(result.value));
  }
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
