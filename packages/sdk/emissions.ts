import type { Data, Effect } from "./machine.ts";

export type EmissionOptions = {
  /** The same key asks for the same work, from whatever step. */
  readonly key?: string;
  readonly deadlineMs?: number;
};

/** The effects of one step, each with a handle that its receipt brings back. */
export type Emissions<Name extends string> = {
  /** Returns the handle: the same on every replay, and no other emission's. */
  emit(effect: Name, params: Data, options?: EmissionOptions): string;
  readonly effects: readonly Effect<Name>[];
};

/** `const out = emissions(ctx)`; then `out.emit(…)`, and `effects: out.effects` in the end. */
export function emissions<Name extends string>(ctx: { readonly height: number }): Emissions<Name> {
  const effects: Effect<Name>[] = [];
  return {
    effects,
    emit(effect, params, options = {}) {
      const issuerRef = `${ctx.height}:${effects.length}`;
      effects[effects.length] = { effect, params, issuerRef, ...options };
      return issuerRef;
    },
  };
}
