import { type Hash, HostError, type Store } from "@holdfast/core";
import type { Answer, Load, Loaded, Part } from "@holdfast/core/machine";

/** Nodes near the root are read for every cell; states are kept at hand by the kernel itself. */
const keptBytesMax = 16 * 1024 * 1024;

/** Bytes that the kernel wants of what it keeps in the store, those used last from memory. */
export class PartReader {
  readonly #store: Pick<Store, "loadBlob">;
  readonly #workflow: string;
  readonly #kept = new Map<Hash, Uint8Array>();
  #keptBytes = 0;

  constructor({ store, workflow }: { store: Pick<Store, "loadBlob">; workflow: string }) {
    this.#store = store;
    this.#workflow = workflow;
  }

  async answer({ hashes }: Load): Promise<Loaded> {
    return { kind: "loaded", parts: await Promise.all(hashes.map((hash) => this.#find(hash))) };
  }

  async drive<T>(run: Generator<Load, T, Answer>): Promise<T> {
    let next = run.next();
    while (!next.done) next = run.next(await this.answer(next.value));
    return next.value;
  }

  /** They are about to be written, and what follows is likely to want them. */
  remember(parts: readonly Part[]): void {
    for (const { hash, bytes } of parts) this.#keep(hash, bytes);
  }

  async #find(hash: Hash): Promise<Uint8Array | null> {
    const kept = this.#kept.get(hash);
    const bytes = kept ?? (await this.#load(hash));
    if (bytes !== null) this.#keep(hash, bytes);
    return bytes;
  }

  /** The kernel hashes whatever it is given: altered bytes are its finding. */
  async #load(hash: Hash): Promise<Uint8Array | null> {
    try {
      return await this.#store.loadBlob(this.#workflow, hash);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      if (error.code === "BLOB_MISSING") return null;
      if (error.code === "BLOB_CORRUPT") return new Uint8Array();
      throw error;
    }
  }

  #keep(hash: Hash, bytes: Uint8Array): void {
    if (!this.#kept.delete(hash)) this.#keptBytes += bytes.length;
    this.#kept.set(hash, bytes);
    for (const [oldest, { length }] of this.#kept) {
      if (this.#keptBytes <= keptBytesMax) return;
      this.#kept.delete(oldest);
      this.#keptBytes -= length;
    }
  }
}
