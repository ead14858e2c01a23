import {
  isContextMember,
  type OperationKind,
  type Permission,
  type Place,
  type Power,
  permissionOf,
  ruleOf,
} from "../capability/table.ts";
import type { GuestHost, Instance } from "../engine/instance.ts";
import type { Failure, FailureCode } from "../failure.ts";
import type { SandboxLimits } from "../limits.ts";
import { ContextCalls } from "./context-calls.ts";
import type { PhaseCall, PhaseResult, PhaseState } from "./phase.ts";
import { failureOfThrown } from "./thrown.ts";

export type PhaseParts = {
  readonly instance: Instance;
  readonly call: PhaseCall;
  readonly state: PhaseState;
  readonly limits: SandboxLimits;
  readonly elapsedMs: () => number;
};

/**
 * The host's side of one phase, for one slice. What the guest asks for is judged here, and what
 * became of the phase is written here: nothing the guest computes afterwards can change it,
 * because nothing of it runs afterwards.
 */
export class PhaseHost implements GuestHost {
  result: PhaseResult | null = null;
  /** What the handler returned; undefined = it has not. */
  #value: string | null | undefined;
  readonly #parts: PhaseParts;
  readonly #contextCalls: ContextCalls;
  readonly #runningMsBefore: number;

  constructor(parts: PhaseParts) {
    this.#parts = parts;
    this.#runningMsBefore = parts.state.runningMs;
    const { call, state, limits } = parts;
    this.#contextCalls = new ContextCalls({
      call,
      state,
      limits,
      fail: (code, message) => this.fail(code, message),
      spend: (bytes) => this.#spend(bytes),
    });
  }

  call(kind: string, text: string): string | undefined {
    if (this.result !== null) this.#parts.state.callsAfterEnd += 1;
    switch (kind) {
      case "call":
        return this.#guestCall(text);
      case "publish":
        this.#mustHave("publish");
        return this.#contextCalls.publish(this.#admitValue(text, "event"));
      case "input":
        this.#mustHave("registerInput");
        return this.#contextCalls.registerInput(this.#admitValue(text, "input"));
      case "log":
        this.#mustHave("log");
        return this.#contextCalls.log(text);
      case "seed":
        return this.#parts.call.seed;
      case "returned":
        return this.#returned(text);
      case "threw":
        return this.#end({ kind: "failed", failure: failureOfThrown(text) });
      case "absent":
        return this.#absent(text);
      case "value_fault":
        return this.#valueFault(text);
      case "refuse":
        return this.#refuse(text);
      default:
        return this.fail("SCRIPT_ENGINE", `The guest asked for "${kind}", which there is not.`);
    }
  }

  poll(): void {
    const { state, limits, elapsedMs } = this.#parts;
    state.fuelUsed += 1;
    if (state.fuelUsed > limits.fuelMax) {
      this.fail("SCRIPT_FUEL", `It used its ${limits.fuelMax} units of computing.`);
    }
    if (this.#runningMsBefore + elapsedMs() > limits.runningMsMax) {
      this.fail("SCRIPT_RUNNING_TIME", `It ran longer than ${limits.runningMsMax} ms.`);
    }
  }

  now(): number {
    return this.#parts.state.now;
  }

  heapFull(): never {
    const { heapBytesMax } = this.#parts.limits;
    return this.fail("SCRIPT_HEAP", `It needs more than ${heapBytesMax} bytes of memory.`);
  }

  fail(code: FailureCode, message: string, position: Failure["position"] = null): never {
    return this.#end({ kind: "failed", failure: { code, message, position } });
  }

  /** No guest code is on the stack: the phase has ended all the same. */
  failAtRest(code: FailureCode, message: string): void {
    this.result = { kind: "failed", failure: { code, message, position: null } };
  }

  #end(result: PhaseResult): never {
    this.result = result;
    return this.#parts.instance.stop();
  }

  get #place(): Place {
    const { call, state } = this.#parts;
    return call.phase === "job" && state.inItem ? "item" : call.phase;
  }

  #mustHave(power: Power, name: string = power): Permission {
    const permission = permissionOf(power, this.#place);
    if (permission === "no") this.#forbid(name);
    return permission;
  }

  #forbid(name: string): never {
    const place = this.#place;
    const where = place === "item" ? "an item of a job" : place;
    return this.fail("SCRIPT_FORBIDDEN", `${name} is not for ${where}. ${ruleOf(place)}`);
  }

  #guestCall(text: string): string {
    const [name, params] = this.#readCall(this.#admitValue(text, "parameters"));
    const { state, limits } = this.#parts;
    state.callCount += 1;
    state.callsSince += 1;
    if (state.callsSince > limits.callsMax) {
      this.fail("SCRIPT_CALLS", `It made more than ${limits.callsMax} calls.`);
    }
    if (name.startsWith("ctx.")) {
      if (name !== "ctx.itemDone") this.#mustHave(memberOf(name), name);
      return this.#contextCalls.call(name, params);
    }
    return this.#operation(name, params);
  }

  /** The parameters are cut out of the text as they are: two readings could differ. */
  #readCall(text: string): readonly [name: string, params: string] {
    const end = text.indexOf('",');
    const name: unknown = end === -1 ? null : JSON.parse(`${text.slice(1, end)}"`);
    if (typeof name !== "string") return this.fail("SCRIPT_ENGINE", "A call has no name.");
    return [name, text.slice(end + 2, -1)];
  }

  #operation(name: string, params: string): string {
    const dot = name.indexOf(".");
    const [connection, operation] = [name.slice(0, dot), name.slice(dot + 1)];
    const kind = this.#kindOf(connection, operation);
    if (kind === null) return this.#absent(name);
    const permission = this.#mustHave(kind, `${name} (${kind})`);
    if (permission === "once") {
      return this.#end({ kind: "mutation", call: { connection, operation, params } });
    }
    if (permission === "opt-in" && this.#parts.call.mutateReads !== "byId") {
      this.#forbid(`${name} (${kind}, without mutateReads: "byId")`);
    }
    return this.#contextCalls.open(name, kind, params);
  }

  #kindOf(connection: string, operation: string): OperationKind | null {
    const { connections } = this.#parts.call;
    if (!Object.hasOwn(connections, connection)) return null;
    const operations = connections[connection] ?? {};
    return Object.hasOwn(operations, operation) ? (operations[operation] ?? null) : null;
  }

  #absent(name: string): never {
    if (isContextMember(name)) this.#forbid(`ctx.${name}`);
    const { connections } = this.#parts.call;
    const dot = name.indexOf(".");
    const known = Object.keys(dot === -1 ? connections : (connections[name.slice(0, dot)] ?? {}));
    const list = known.length === 0 ? "none" : known.slice(0, 50).join(", ");
    const what = dot === -1 ? `ctx.${name}` : name;
    return this.fail("SCRIPT_ABSENT", `There is no ${what.slice(0, 200)}. There is: ${list}.`);
  }

  /**
   * What the handler began and did not wait for still goes on until nothing is ready: an event
   * that is published a moment later would otherwise be lost, and nobody would know.
   */
  #returned(text: string): undefined {
    const { call, limits } = this.#parts;
    if (this.#value !== undefined) this.fail("SCRIPT_ENGINE", "The handler returned twice.");
    this.#value = null;
    if (text === "") return undefined;
    const isState = call.phase === "producer" || call.phase === "next" || call.phase === "job";
    if (isState && Buffer.byteLength(text) > limits.stateBytesMax) {
      this.fail("SCRIPT_STATE_SIZE", `The state has more than ${limits.stateBytesMax} bytes.`);
    }
    this.#value = this.#admitValue(text, "result");
    return undefined;
  }

  /** Nothing is ready any more: whether the handler has come to its end. */
  settle(): void {
    if (this.result !== null || this.#value === undefined) return;
    const [left] = this.#parts.state.open;
    if (left === undefined) this.result = { kind: "returned", value: this.#value };
    else this.failAtRest("SCRIPT_CALL_LEFT_OPEN", `${left.name} was called without await.`);
  }

  #admitValue(text: string, what: string): string {
    const { valueBytesMax } = this.#parts.limits;
    const bytes = Buffer.byteLength(text);
    if (bytes > valueBytesMax) {
      const message = `What was given as ${what} has more than ${valueBytesMax} bytes.`;
      this.fail("SCRIPT_VALUE_SIZE", message);
    }
    this.#spend(bytes);
    return text;
  }

  /** Each value may be large, but not all of them: the host keeps them until the phase ends. */
  #spend(bytes: number): void {
    const { state, limits } = this.#parts;
    state.outputBytes += bytes;
    if (state.outputBytes > limits.outputBytesMax) {
      const message = `It handed over more than ${limits.outputBytesMax} bytes in all.`;
      this.fail("SCRIPT_VALUE_SIZE", message);
    }
  }

  #valueFault(text: string): never {
    const { path, why } = JSON.parse(text) as { path: unknown; why: unknown };
    return this.fail("SCRIPT_VALUE", `${String(path).slice(0, 500)} ${String(why)}.`);
  }

  #refuse(reason: string): never {
    if (reason === "code_from_text") {
      return this.fail("SCRIPT_CODE_FROM_TEXT", "It called eval or a Function constructor.");
    }
    if (reason === "no_handler") {
      const { phase, handler } = this.#parts.call;
      return this.fail("SCRIPT_NO_HANDLER", `There is no ${phase} of ${handler}.`);
    }
    if (reason === "item_without_handler") {
      return this.fail("SCRIPT_FORBIDDEN", "withItem needs a function as its third argument.");
    }
    return this.fail("SCRIPT_TOP_LEVEL", "Math.random was asked before a handler began.");
  }
}

function memberOf(name: string): Power {
  if (name.startsWith("ctx.kv.")) return "kv";
  const member = name.slice("ctx.".length);
  return isContextMember(member) ? member : "withItem";
}
