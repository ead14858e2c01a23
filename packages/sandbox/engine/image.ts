/**
 * All that an isolate is, as bytes: what lies below the stack and what the heap holds. Nothing else
 * of the engine changes while no guest code is on the stack, so that an image can be put back any
 * number of times, and into any instance of the same engine.
 */
export type Image = {
  /** Static data first, then the heap. Shared between threads unless it is on its way. */
  readonly bytes: ArrayBuffer | SharedArrayBuffer;
  /** Where the heap ends: the engine has not touched anything above. */
  readonly heapEnd: number;
  /** Which instance it was taken from, and when: no two have the same. */
  readonly name: string;
};

/** Where the parts of the engine's memory lie; the same in every instance. */
export type MemoryLayout = {
  readonly staticEnd: number;
  readonly heapStart: number;
  /** Address of the word that says where the heap ends. */
  readonly heapEndAt: number;
  readonly size: number;
};

/** Set by the compiler of the engine. */
const stackBytes = 5_242_880;
const pageBytes = 65_536;

export function memoryPages(stackTop: number, heapBytesMax: number): number {
  return Math.ceil((stackTop + heapBytesMax) / pageBytes);
}

/**
 * Found before the engine has run: then the heap is empty and begins where the stack does, and
 * exactly one word says so.
 */
export function findLayout(memory: WebAssembly.Memory, stackTop: number): MemoryLayout {
  const words = new Int32Array(memory.buffer, 0, (stackTop - stackBytes) / 4);
  const found = words.indexOf(stackTop);
  if (found === -1 || words.indexOf(stackTop, found + 1) !== -1) {
    throw new Error("The end of the engine's heap is not where it was when it was tried.");
  }
  return {
    staticEnd: stackTop - stackBytes,
    heapStart: stackTop,
    heapEndAt: found * 4,
    size: memory.buffer.byteLength,
  };
}

function heapEndOf(memory: WebAssembly.Memory, layout: MemoryLayout): number {
  return new DataView(memory.buffer).getUint32(layout.heapEndAt, true);
}

/** Shared images are kept by many; an own one may lie in a buffer that is longer than it needs. */
export function takeImage(
  memory: WebAssembly.Memory,
  layout: MemoryLayout,
  { into, name }: Pick<Image, "name"> & { readonly into: "shared" | ArrayBuffer | null },
): Image {
  const heapEnd = heapEndOf(memory, layout);
  const { staticEnd, heapStart } = layout;
  const bytes = bufferFor(staticEnd + heapEnd - heapStart, into);
  const target = new Uint8Array(bytes);
  target.set(new Uint8Array(memory.buffer, 0, staticEnd));
  target.set(new Uint8Array(memory.buffer, heapStart, heapEnd - heapStart), staticEnd);
  return { bytes, heapEnd, name };
}

function bufferFor(
  length: number,
  into: "shared" | ArrayBuffer | null,
): ArrayBuffer | SharedArrayBuffer {
  if (into === "shared") return new SharedArrayBuffer(length);
  return into !== null && into.byteLength >= length ? into : new ArrayBuffer(length);
}

/** What the last guest left above the image's heap is zeroed: the engine counts on that. */
export function putImage(memory: WebAssembly.Memory, layout: MemoryLayout, image: Image): void {
  const { staticEnd, heapStart } = layout;
  const dirtyEnd = heapEndOf(memory, layout);
  const target = new Uint8Array(memory.buffer);
  target.set(new Uint8Array(image.bytes, 0, staticEnd));
  target.set(new Uint8Array(image.bytes, staticEnd, image.heapEnd - heapStart), heapStart);
  if (dirtyEnd > image.heapEnd) target.fill(0, image.heapEnd, dirtyEnd);
}
