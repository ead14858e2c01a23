import type { Hash } from "@holdfast/core";
import type { ScriptImage } from "../run/slice.ts";

/** Images of scripts, as many as fit; the one used longest ago goes first. */
export class ScriptImages {
  readonly #bytesMax: number;
  /** In the order of their last use. */
  readonly #images = new Map<Hash, ScriptImage>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  find(codeHash: Hash): ScriptImage | null {
    const image = this.#images.get(codeHash);
    if (image === undefined) return null;
    this.#images.delete(codeHash);
    this.#images.set(codeHash, image);
    return image;
  }

  keep(codeHash: Hash, image: ScriptImage): void {
    this.#drop(codeHash);
    this.#images.set(codeHash, image);
    this.#bytes += sizeOf(image);
    for (const oldest of this.#images.keys()) {
      if (this.#bytes <= this.#bytesMax || oldest === codeHash) return;
      this.#drop(oldest);
    }
  }

  #drop(codeHash: Hash): void {
    const image = this.#images.get(codeHash);
    if (image === undefined) return;
    this.#images.delete(codeHash);
    this.#bytes -= sizeOf(image);
  }
}

function sizeOf({ image }: ScriptImage): number {
  return image.bytes.byteLength;
}
