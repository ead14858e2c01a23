import type { ScriptImage } from "../run/slice.ts";
import type { SliceRequest } from "../worker/protocol.ts";

/** How much the last time counts in what is expected of the next. */
const lastWeight = 0.2;

/** How long the phases of each script take. Of what was never seen, nothing is expected. */
export class Durations {
  readonly #tookMs = new WeakMap<ScriptImage, number>();

  expect(request: SliceRequest): number {
    const known = request.kind === "start" ? this.#tookMs.get(request.script) : undefined;
    return known ?? Number.POSITIVE_INFINITY;
  }

  note(request: SliceRequest, tookMs: number): void {
    if (request.kind !== "start") return;
    const known = this.#tookMs.get(request.script) ?? tookMs;
    this.#tookMs.set(request.script, known + (tookMs - known) * lastWeight);
  }
}
