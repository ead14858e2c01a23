import type { GuestHost, Instance } from "../engine/instance.ts";
import type { Failure, FailureCode } from "../failure.ts";
import type { SandboxLimits } from "../limits.ts";

/** An empty world: a script that is loaded can declare what it is, and nothing else. */
export class LoadHost implements GuestHost {
  failure: Failure | null = null;
  definition = "";
  readonly #instance: Instance;
  readonly #limits: SandboxLimits;
  readonly #monotonicMs: () => number;
  readonly #startedAt: number;
  #fuelUsed = 0;

  constructor(instance: Instance, limits: SandboxLimits, monotonicMs: () => number) {
    this.#instance = instance;
    this.#limits = limits;
    this.#monotonicMs = monotonicMs;
    this.#startedAt = monotonicMs();
  }

  call(kind: string, text: string): string | undefined {
    switch (kind) {
      case "definition":
        return this.#define(text);
      case "log":
        return undefined;
      case "refuse":
        return text === "code_from_text"
          ? this.#fail("SCRIPT_CODE_FROM_TEXT", "It called eval or a Function constructor.")
          : this.#fail("SCRIPT_TOP_LEVEL", "Math.random was asked outside a handler.");
      case "value_fault": {
        const { path, why } = JSON.parse(text) as { path: unknown; why: unknown };
        return this.#fail("SCRIPT_LOAD", `${String(path)} ${String(why)}.`);
      }
      default:
        return this.#fail("SCRIPT_LOAD", `"${kind}" is for handlers only.`);
    }
  }

  poll(): void {
    const { fuelMax, loadingMsMax } = this.#limits;
    this.#fuelUsed += 1;
    if (this.#fuelUsed > fuelMax) this.#fail("SCRIPT_FUEL", "Loading it takes too much computing.");
    if (this.#monotonicMs() - this.#startedAt > loadingMsMax) {
      this.#fail("SCRIPT_RUNNING_TIME", `Loading it takes longer than ${loadingMsMax} ms.`);
    }
  }

  /** One image is made for all runs: a time taken here would stand still for ever. */
  now(): number {
    return this.#fail("SCRIPT_TOP_LEVEL", "The time was asked outside a handler.");
  }

  heapFull(): never {
    return this.#fail("SCRIPT_HEAP", `It needs more than ${this.#limits.heapBytesMax} bytes.`);
  }

  failWith(failure: Failure): void {
    this.failure = failure;
  }

  #define(text: string): undefined {
    const { definitionBytesMax } = this.#limits;
    if (Buffer.byteLength(text) > definitionBytesMax) {
      this.#fail("SCRIPT_VALUE_SIZE", `Its definition has more than ${definitionBytesMax} bytes.`);
    }
    this.definition = text;
    return undefined;
  }

  #fail(code: FailureCode, message: string): never {
    this.failure = { code, message, position: null };
    return this.#instance.stop();
  }
}
