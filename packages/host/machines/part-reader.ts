import type { Hash, Store } from "@holdfast/core";
import type { Answer, Load, Loaded, Part } from "@holdfast/core/machine";

/**
 * Nodes near the root are read for every cell; states are kept at hand by the kernel itself. What
 * was used last is in one of two halves: when the newer is full, the older goes as a whole.
 */
const halfBytesMax = 4 * 1024 * 1024;
/** What a part takes besides its bytes, which are often fewer: its name, its place. */
const besideBytes = 512;

/**
 * Bytes that the kernel wants of what it keeps in the store, those used last from memory. It hashes
 * whatever it is given, so altered ones are its finding.
 */
export class PartReader {
  readonly #store: Pick<Store, "loadParts">;
  readonly #workflow: string;
  #newer = new Map<Hash, Uint8Array>();
  #older = new Map<Hash, Uint8Array>();
  #newerBytes = 0;
  readonly #held = new Map<Hash, Uint8Array>();

  constructor({ store, workflow }: { store: Pick<Store, "loadParts">; workflow: string }) {
    this.#store = store;
    this.#workflow = workflow;
  }

  async answer({ hashes }: Load): Promise<Loaded> {
    const here = (hash: Hash) =>
      this.#held.get(hash) ?? this.#newer.get(hash) ?? this.#older.get(hash) ?? null;
    const wanted = [...new Set(hashes.filter((hash) => here(hash) === null))];
    const loaded = wanted.length === 0 ? [] : await this.#store.loadParts(this.#workflow, wanted);
    const found = new Map(wanted.map((hash, at) => [hash, loaded[at] ?? null]));
    const parts = hashes.map((hash) => found.get(hash) ?? here(hash));
    for (const [at, hash] of hashes.entries()) {
      const bytes = parts[at] ?? null;
      if (bytes !== null) this.#keep(hash, bytes);
    }
    return { kind: "loaded", parts };
  }

  async drive<T>(run: Generator<Load, T, Answer>): Promise<T> {
    let next = run.next();
    while (!next.done) next = run.next(await this.answer(next.value));
    return next.value;
  }

  /** What a kernel made that will never be written: nobody else has it. */
  hold(parts: readonly Part[]): void {
    for (const { hash, bytes } of parts) this.#held.set(hash, bytes);
  }

  letGo(): void {
    this.#held.clear();
  }

  /** They are about to be written, and what follows is likely to want them. */
  remember(parts: readonly Part[]): void {
    for (const { hash, bytes } of parts) this.#keep(hash, bytes);
  }

  #keep(hash: Hash, bytes: Uint8Array): void {
    if (this.#newer.has(hash)) return;
    this.#newer.set(hash, bytes);
    this.#newerBytes += bytes.length + besideBytes;
    if (this.#newerBytes <= halfBytesMax) return;
    this.#older = this.#newer;
    this.#newer = new Map();
    this.#newerBytes = 0;
  }
}
