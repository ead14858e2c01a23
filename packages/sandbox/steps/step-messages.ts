/**
 * Steps on their way to a thread and back, as one piece of bytes each way: to copy hundreds of
 * small objects between threads takes longer than to run the steps.
 */
import {
  type CanonicalValue,
  decodeCanonical,
  encodeCanonical,
  type Hash,
} from "@holdfast/core/canonical";
import type {
  ChainAnswer,
  StepAnswer,
  StepCall,
  StepChain,
  StepOutput,
} from "@holdfast/core/machine/steps";

type Bytes = Uint8Array | null;
type SentCall = readonly [
  machine: number,
  state: Bytes,
  schema: string,
  value: Uint8Array,
  key: Bytes,
  ctx: Bytes,
  nowNs: number | bigint,
  entropy: Uint8Array,
];
type SentChains = readonly [
  manifestHash: Hash,
  machines: readonly string[],
  chains: readonly (readonly SentCall[])[],
];

export function encodeChains(manifestHash: Hash, chains: readonly StepChain[]): Uint8Array {
  const machines = new Map<string, number>();
  const sent = chains.map((chain) => chain.map((call) => sentCall(call, machines)));
  const message: SentChains = [manifestHash, [...machines.keys()], sent];
  return encodeCanonical(message as CanonicalValue);
}

function sentCall(call: StepCall, machines: Map<string, number>): SentCall {
  const { machine, state, event, ctx, nowNs, entropy } = call;
  const at = machines.get(machine) ?? machines.size;
  machines.set(machine, at);
  return [at, state, event.schema, event.value, event.key, ctx, nowNs, entropy];
}

export function decodeChains(bytes: Uint8Array): readonly StepChain[] {
  const [manifestHash, machines, chains] = decodeCanonical(bytes) as unknown as SentChains;
  return chains.map((chain) =>
    chain.map(([machine, state, schema, value, key, ctx, nowNs, entropy]) => ({
      version: 1,
      manifestHash,
      machine: machines[machine] ?? "",
      state,
      event: { schema, value, key },
      ctx,
      nowNs: BigInt(nowNs),
      entropy,
    })),
  );
}

/** `true`: the state that is left is the one that was returned, to the byte. */
type SentLeft = Bytes | true;
type SentAnswer =
  | readonly ["output", SentLeft, ...SentOutput]
  | readonly ["fault", SentLeft, code: string, note: string]
  | readonly ["killed", SentLeft, reason: string];
type SentOutput = readonly [
  state: Bytes,
  events: readonly (readonly [string, Uint8Array, Bytes, string | null])[],
  effects: readonly (readonly [
    string,
    Uint8Array,
    Bytes,
    string | null,
    deadlineNs: number | bigint | null,
  ])[],
  done: boolean,
  annotations: Bytes,
];

export function encodeAnswers(answers: readonly (readonly ChainAnswer[])[]): Uint8Array {
  return encodeCanonical(answers.map((chain) => chain.map(sentAnswer)) as CanonicalValue);
}

function sentAnswer({ answer, left }: ChainAnswer): SentAnswer {
  switch (answer.kind) {
    case "fault":
      return ["fault", left, answer.code, answer.note];
    case "killed":
      return ["killed", left, answer.reason];
    case "output": {
      const { state, events, effects, done, annotations } = answer.output;
      return [
        "output",
        isSame(left, state) ? true : left,
        state,
        events.map(({ topic, value, key, messageId }) => [topic, value, key, messageId]),
        effects.map(({ effect, params, requestedKey, issuerRef, deadlineNs }) => {
          return [effect, params, requestedKey, issuerRef, deadlineNs];
        }),
        done,
        annotations,
      ];
    }
  }
}

function isSame(left: Bytes, right: Bytes): boolean {
  return left !== null && right !== null && Buffer.compare(left, right) === 0;
}

export function decodeAnswers(bytes: Uint8Array): readonly (readonly ChainAnswer[])[] {
  const sent = decodeCanonical(bytes) as unknown as readonly (readonly SentAnswer[])[];
  return sent.map((chain) => chain.map(readAnswer));
}

function readAnswer(sent: SentAnswer): ChainAnswer {
  switch (sent[0]) {
    case "fault":
      return {
        answer: { kind: "fault", code: sent[2] as Fault["code"], note: sent[3] },
        left: null,
      };
    case "killed":
      return { answer: { kind: "killed", reason: sent[2] }, left: null };
    case "output": {
      const [, left, ...output] = sent;
      const read = readOutput(output);
      return {
        answer: { kind: "output", output: read },
        left: left === true ? read.state : left,
      };
    }
  }
}

type Fault = Extract<StepAnswer, { kind: "fault" }>;

function readOutput([state, events, effects, done, annotations]: SentOutput): StepOutput {
  return {
    state,
    events: events.map(([topic, value, key, messageId]) => ({ topic, value, key, messageId })),
    effects: effects.map(([effect, params, requestedKey, issuerRef, deadlineNs]) => ({
      effect,
      params,
      requestedKey,
      issuerRef,
      deadlineNs: deadlineNs === null ? null : BigInt(deadlineNs),
    })),
    done,
    annotations,
  };
}
