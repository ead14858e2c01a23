import type {
  CallAnswer,
  GuestCall,
  HostedScript,
  JsonText,
  PhaseCall,
  PhaseOutcome,
  RunOptions,
} from "@holdfast/core";
import { type Difference, firstDifference } from "./first-difference.ts";
import { TestError } from "./test-error.ts";

type Taped = { readonly call: GuestCall; readonly answer: CallAnswer };

/** How much later a handler is run that has to be run again after a crash. */
const laterMs = 90_000;

/**
 * A script of which every phase is run twice on the same inputs, and has to do the same both
 * times, byte for byte. Producers are run once more with a later clock and other chance, as after
 * a crash: then they have to name the same inputs and events, or each would come twice.
 */
export function replayedScript(script: HostedScript): HostedScript {
  const again = async (call: PhaseCall, options: RunOptions, tape: readonly Taped[]) => {
    const calls: GuestCall[] = [];
    const perform = performFrom(tape, calls);
    return { outcome: await script.run(call, { ...options, perform }), calls };
  };
  const check = async (
    call: PhaseCall,
    options: RunOptions,
    { outcome, tape }: { readonly outcome: PhaseOutcome; readonly tape: readonly Taped[] },
  ): Promise<void> => {
    const second = await again(call, options, tape);
    const first = { outcome, calls: tape.map((each) => each.call) };
    const difference = firstDifference(deedsOf(first), deedsOf(second));
    if (difference !== null) throw differs(call, "on the same inputs", difference);
    if (call.phase !== "producer" || outcome.result.kind !== "returned") return;
    const later = await again(laterCall(call), { ...options, ...laterClock(options) }, tape);
    if (later.outcome.result.kind !== "returned") return;
    const names = firstDifference(namesOf(outcome), namesOf(later.outcome));
    if (names !== null) throw differs(call, "later, as after a crash", names);
  };
  return {
    ...script,
    run: async (call, options) => {
      const tape: Taped[] = [];
      const outcome = await script.run(call, { ...options, perform: taping(options, tape) });
      await check(call, options, { outcome, tape });
      return outcome;
    },
    runConsumer: async (calls, options) => {
      const tape: Taped[] = [];
      const both = await script.runConsumer(calls, { ...options, perform: taping(options, tape) });
      await check(calls.prepare, options, { outcome: both.prepare, tape });
      const prepared = preparedBy(both.prepare);
      if (both.mutate === null || prepared === null) return both;
      // Each on its own, as a host does that takes over after prepare.
      const mutate = { ...calls.mutate, given: { ...calls.mutate.given, prepared } };
      await check(mutate, options, { outcome: both.mutate, tape: [] });
      return both;
    },
  };
}

function taping({ perform }: RunOptions, tape: Taped[]): RunOptions["perform"] {
  return async (call, activeMs) => {
    const place = tape.length;
    tape.push({ call, answer: { kind: "value", value: null } });
    const answer = await perform(call, activeMs);
    tape[place] = { call, answer };
    return answer;
  };
}

/** Answers by position. What was not asked the first time ends the run, and its call is found. */
function performFrom(tape: readonly Taped[], calls: GuestCall[]): RunOptions["perform"] {
  return async (call) => {
    const taped = tape[calls.length];
    calls.push(call);
    if (taped?.call.name === call.name) return taped.answer;
    return { kind: "stop", reason: "it was not asked the first time" };
  };
}

function laterCall(call: PhaseCall): PhaseCall {
  return { ...call, now: call.now + laterMs, seed: `${call.seed} later` };
}

function laterClock({ now }: RunOptions): Pick<RunOptions, "now"> {
  return now === undefined ? {} : { now: () => now() + laterMs };
}

function preparedBy({ result }: PhaseOutcome): JsonText | null {
  return result.kind === "returned" ? result.value : null;
}

/** Everything a phase did, for comparison. */
function deedsOf({
  outcome,
  calls,
}: {
  readonly outcome: PhaseOutcome;
  readonly calls: readonly GuestCall[];
}) {
  const { inputs, publications, kvWrites } = outcome.record;
  return {
    calls: calls.map(({ name, params }) => ({ name, params: parsed(params) })),
    inputs,
    publishes: publications.map((each) => ({ ...each, payload: parsed(each.payload) })),
    kv: kvWrites.map(({ key, value }) => ({ key, value: parsed(value) })),
    result: resultOf(outcome),
  };
}

function resultOf({ result }: PhaseOutcome): unknown {
  switch (result.kind) {
    case "returned":
      return { returned: parsed(result.value) };
    case "mutation":
      return { mutation: { ...result.call, params: parsed(result.call.params) } };
    case "failed":
      return { failed: result.failure.message };
    case "stopped":
      return { stopped: true };
  }
}

/** By what inputs and events are known: the same names make no second ones. */
function namesOf({ record }: PhaseOutcome) {
  return {
    inputs: record.inputs.map(({ source, type, externalId }) => ({ source, type, id: externalId })),
    publishes: record.publications.map(({ topic, messageId }) => ({ topic, messageId })),
  };
}

function parsed(text: JsonText | null): unknown {
  return text === null ? null : JSON.parse(text);
}

function differs({ phase, handler }: PhaseCall, how: string, difference: Difference): TestError {
  const { path, first, second } = difference;
  const what = `${JSON.stringify(first)} the first time, ${JSON.stringify(second)} the second`;
  const text = `${phase} of ${handler}, run again ${how}, did something else at ${path}: ${what}`;
  return new TestError("replay_differs", text);
}
