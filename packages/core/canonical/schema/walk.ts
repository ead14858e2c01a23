import { isPlainObject } from "../plain-object.ts";
import type { PathSegment } from "../value-path.ts";
import { describeValue } from "./describe-value.ts";
import { RefusedSignal } from "./refusal.ts";

/**
 * What the accepted value is for. `value`: the typed value a caller keeps. `bytes`: input of
 * `encodeCanonical`. `stored`: typed value of bytes already canonical, where the author's
 * shorthands (sugar, a left-out option) are refused, or one value would have two byte forms.
 */
export type Purpose = "value" | "bytes" | "stored";

/** Values in a value. A shared subtree counts at each use, so a small input cannot cost hours. */
export const valueNodesMax = 1_000_000;

/** The way through one value: where we are, what for, and how much of it we have seen. */
export class Walk {
  readonly purpose: Purpose;
  readonly path: PathSegment[] = [];
  private readonly base: number;
  private nodeCount = 0;

  constructor(purpose: Purpose, rootName: string) {
    this.purpose = purpose;
    this.base = rootName === "" ? 0 : 1;
    if (rootName !== "") this.path.push(rootName);
  }

  /** Nested lists and maps around the present value. */
  get depth(): number {
    return this.path.length - this.base;
  }

  enter(segment: PathSegment): void {
    this.path.push(segment);
    this.nodeCount++;
    if (this.nodeCount > valueNodesMax) {
      this.refuse(`at most ${valueNodesMax} values in one`, "more");
    }
  }

  leave(): void {
    this.path.pop();
  }

  refuse(expected: string, got: string): never {
    throw new RefusedSignal(expected, got);
  }

  refuseValue(expected: string, value: unknown): never {
    throw new RefusedSignal(expected, describeValue(value));
  }

  plainObject(expected: string, value: unknown): Readonly<Record<string, unknown>> {
    return isPlainObject(value) ? value : this.refuseValue(expected, value);
  }
}
