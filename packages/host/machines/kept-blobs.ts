import { type Hash, HostError, type Store } from "@holdfast/core";
import { MachinesDiverge } from "./machines-diverge.ts";

type Parts = { readonly store: Pick<Store, "loadBlob">; readonly workflow: string };

/** What is held for one stretch of a journal; more is run in several. */
const bytesMax = 64 * 1_048_576;

/** Blobs that records name by their hash. The store checks what it gives out against it. */
export class KeptBlobs {
  readonly #parts: Parts;
  readonly #blobs = new Map<string, Uint8Array>();
  #byteCount = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get isMuch(): boolean {
    return this.#byteCount > bytesMax;
  }

  find(hash: Hash): Uint8Array | null {
    return this.#blobs.get(hash) ?? null;
  }

  /** Without it nothing goes on, whether or not a step would notice. */
  async load(hash: Hash, seq: number): Promise<void> {
    const { store, workflow } = this.#parts;
    try {
      const bytes = await store.loadBlob(workflow, hash);
      this.#blobs.set(hash, bytes);
      this.#byteCount += bytes.length;
    } catch (error) {
      if (!(error instanceof HostError) || error.code !== "BLOB_MISSING") throw error;
      const nothing = { recorded: null, made: null };
      throw new MachinesDiverge({ seq, code: "missing_cas_dependency", ...nothing });
    }
  }
}
