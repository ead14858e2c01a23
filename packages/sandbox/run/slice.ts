import { type Anchors, type BootImage, callGuest, evaluate, GuestError } from "../engine/boot.ts";
import type { Image } from "../engine/image.ts";
import type { GuestHost, Instance } from "../engine/instance.ts";
import type { Failure } from "../failure.ts";
import { limitsAgain, type SandboxLimits } from "../limits.ts";
import { entryText } from "./entry.ts";
import { LoadHost } from "./load-host.ts";
import { beginPhase, type PhaseCall, type PhaseResult, type PhaseState } from "./phase.ts";
import { PhaseHost } from "./phase-host.ts";
import { failureOfThrown } from "./thrown.ts";

/** A script that was evaluated once; each phase begins with a copy of this. */
export type ScriptImage = { readonly image: Image; readonly anchors: Anchors };

export type LoadAnswer =
  | { readonly kind: "loaded"; readonly script: ScriptImage; readonly definition: string }
  | { readonly kind: "failed"; readonly failure: Failure };

/** What a phase has come to at the end of a slice. */
export type SliceEnd =
  | { readonly kind: "ended"; readonly result: PhaseResult; readonly state: PhaseState }
  /** Nothing is ready: its calls have to be answered first. The image is all there is of it. */
  | { readonly kind: "waiting"; readonly image: Image; readonly state: PhaseState };

export type Settlement = { readonly callId: number; readonly value: string | null };

type PhaseParts = {
  readonly anchors: Anchors;
  readonly call: PhaseCall;
  readonly state: PhaseState;
  readonly limits: SandboxLimits;
};

const sparesMax = 2;

/** Everything that runs guest code, in one thread: no two calls may be under way at once. */
export class Slices {
  readonly #instance: Instance;
  readonly #limits: SandboxLimits;
  readonly #limitsAgain: SandboxLimits;
  readonly #monotonicMs: () => number;
  /** Buffers of images that were put back, for those that are taken next. */
  readonly #spare: ArrayBuffer[] = [];

  constructor(instance: Instance, limits: SandboxLimits, monotonicMs: () => number) {
    this.#instance = instance;
    this.#limits = limits;
    this.#limitsAgain = limitsAgain(limits);
    this.#monotonicMs = monotonicMs;
  }

  load(boot: BootImage, code: string): LoadAnswer {
    const { anchors } = boot;
    const instance = this.#instance;
    const host = new LoadHost(instance, this.#limits, this.#monotonicMs);
    instance.putImage(boot.image);
    instance.enter(host, () => {
      try {
        const exported = evaluate(instance, anchors.context, { code, file: "script.js" });
        const thrown = callGuest(instance, anchors.context, anchors.adopt, [exported]);
        if (thrown !== null) host.failWith(failureOfThrown(thrown, "SCRIPT_LOAD"));
      } catch (error) {
        if (!(error instanceof GuestError)) throw error;
        host.failWith(failureOfThrown(error.message, "SCRIPT_LOAD"));
      }
    });
    if (host.failure !== null) return { kind: "failed", failure: host.failure };
    const script = { image: instance.takeImage("shared"), anchors };
    return { kind: "loaded", script, definition: host.definition };
  }

  start(script: ScriptImage, call: PhaseCall, { isAgain } = { isAgain: false }): SliceEnd {
    this.#instance.putImage(script.image);
    const { context, enter } = script.anchors;
    const given = [entryText(call), ...(call.beside ?? [])];
    const limits = isAgain ? this.#limitsAgain : this.#limits;
    return this.#run({ anchors: script.anchors, call, state: beginPhase(call), limits }, () =>
      callGuest(this.#instance, context, enter, given),
    );
  }

  /** Goes on where the phase had to wait, now that some of its calls are answered. */
  resume(
    anchors: Anchors,
    call: PhaseCall,
    at: {
      readonly image: Image;
      readonly state: PhaseState;
      readonly settled: readonly Settlement[];
    },
  ): SliceEnd {
    const { image, state, settled } = at;
    this.#instance.putImage(image);
    this.#keepSpare(image.bytes);
    return this.#run({ anchors, call, state, limits: this.#limits }, () =>
      this.#settle(anchors, state, settled),
    );
  }

  #settle(anchors: Anchors, state: PhaseState, settled: readonly Settlement[]): string | null {
    for (const { callId, value } of settled) {
      const index = state.open.findIndex((each) => each.callId === callId);
      if (index === -1) continue;
      const [call] = state.open.splice(index, 1);
      if (call?.name === "ctx.withItem") state.inDoneItem = isDoneItem(value);
    }
    const answers = settled.map(({ callId, value }) =>
      value === null ? `{"id":${callId}}` : `{"id":${callId},"value":${value}}`,
    );
    return callGuest(this.#instance, anchors.context, anchors.settle, [`[${answers.join(",")}]`]);
  }

  #keepSpare(bytes: Image["bytes"]): void {
    if (bytes instanceof ArrayBuffer && this.#spare.length < sparesMax) this.#spare.push(bytes);
  }

  #run(phase: PhaseParts, work: () => string | null): SliceEnd {
    const { anchors, call, state, limits } = phase;
    const instance = this.#instance;
    const startedAt = this.#monotonicMs();
    const elapsedMs = () => this.#monotonicMs() - startedAt;
    const host = new PhaseHost({ instance, call, state, limits, elapsedMs });
    this.#enter(host, anchors, work);
    host.settle();
    while (host.result === null) {
      const settled = nextForeseen(call, state);
      if (settled === null) break;
      this.#enter(host, anchors, () => this.#settle(anchors, state, [settled]));
      host.settle();
    }
    const ranMs = elapsedMs();
    state.runningMs += ranMs;
    state.activeMs += ranMs;
    if (host.result !== null) return { kind: "ended", result: host.result, state };
    if (state.open.length > 0) {
      return { kind: "waiting", image: instance.takeImage(this.#spare.pop() ?? null), state };
    }
    host.failAtRest("SCRIPT_NEVER_SETTLES", neverSettles(state));
    return { kind: "ended", result: host.result as unknown as PhaseResult, state };
  }

  #enter(host: PhaseHost, anchors: Anchors, work: () => string | null): void {
    const instance = this.#instance;
    const jobs = (guest: GuestHost) =>
      instance.enter(guest, () => {
        const thrown = work();
        if (thrown !== null) host.fail(...failureParts(thrown));
        const { QTS_ExecutePendingJob, QTS_IsJobPending, QTS_FreeValuePointer } = instance.exports;
        // A job that throws ends the call, but not the others.
        do {
          const count = instance.withAddresses([0], (at) =>
            QTS_ExecutePendingJob(anchors.runtime, -1, at),
          );
          QTS_FreeValuePointer(anchors.context, count);
        } while (QTS_IsJobPending(anchors.runtime) === 1);
      });
    jobs(host);
  }
}

/** As the host says; the guest has no part in it. */
function isDoneItem(value: string | null): boolean {
  return value !== null && (JSON.parse(value) as { isDone?: unknown } | null)?.isDone === true;
}

/** Each is given once, and only in the order they were foreseen in; null = it waits for others. */
function nextForeseen({ foreseen = [] }: PhaseCall, state: PhaseState): Settlement | null {
  const next = foreseen[state.foreseen.length];
  if (next === undefined) return null;
  const call = state.open.find(({ name, params }) => name === next.name && params === next.params);
  if (call === undefined) return null;
  state.foreseen.push(call);
  return { callId: call.callId, value: next.value };
}

function failureParts(thrown: string) {
  const { code, message, position } = failureOfThrown(thrown);
  return [code, message, position] as const;
}

function neverSettles({ inItem }: PhaseState): string {
  const nested = inItem ? " Perhaps withItem was called inside withItem." : "";
  return `It waits for a promise that nobody will settle.${nested}`;
}
