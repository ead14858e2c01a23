import type { Hash } from "../../canonical/index.ts";
import type { Loading } from "../ask.ts";
import type { Load, Loaded, Part } from "../state/load.ts";

/** Parts by their hash, as a store keeps them, and how many were asked for. */
export class PartShelf {
  readonly parts = new Map<Hash, Uint8Array>();
  loadCount = 0;

  keep(parts: readonly Part[]): void {
    for (const { hash, bytes } of parts) this.parts.set(hash, bytes);
  }

  answer({ hashes }: Load): Loaded {
    this.loadCount += hashes.length;
    return { kind: "loaded", parts: hashes.map((hash) => this.parts.get(hash) ?? null) };
  }

  drive<T>(run: Loading<T>): T {
    let next = run.next();
    while (!next.done) next = run.next(this.answer(next.value));
    return next.value;
  }
}
