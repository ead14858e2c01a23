import { randomUUID } from "node:crypto";
import { type EngineExports, importLetters, nameExports } from "./abi.ts";
import {
  findLayout,
  type Image,
  type MemoryLayout,
  memoryPages,
  putImage,
  takeImage,
} from "./image.ts";
import { OwnCopies } from "./own-copies.ts";

/** What the guest can ask of its host, and when the engine lets the host look. */
export type GuestHost = {
  /** The only function the guest has. Undefined or a text goes back. */
  call(kind: string, text: string): string | undefined;
  /** Every so many loops and calls of guest code. */
  poll(): void;
  /** Milliseconds of the guest's clock. */
  now(): number;
  /** The heap is as large as it may be. */
  heapFull(): never;
};

/**
 * Thrown through the engine's frames by whoever ends a run. Never seen by guest code. One value for
 * all, because an error of its own each time would take longer than the rest of a short run.
 */
const guestStopped = Object.freeze(new Error("A guest was stopped."));

/** What the engine keeps of a local time. */
const localTimeBytes = 44;

/** Where the stack begins in this engine: it grows down from here, the heap up. */
const stackTop = 5_333_088;

/**
 * One engine with one memory. While no call is under way it is nothing but its memory, which
 * images replace. Whatever the guest does, `stop` ends it: from then on every way out of the
 * engine throws, and the engine is left by that exception alone, so that no guest instruction,
 * `finally` and queued jobs included, comes after it.
 */
export class Instance {
  readonly layout: MemoryLayout;
  readonly exports: EngineExports;
  readonly #memory: WebAssembly.Memory;
  readonly #bytes: Uint8Array;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();
  readonly #name = randomUUID();
  readonly #copies = new OwnCopies();
  #takenCount = 0;
  /** Name of the image that the memory still is: nothing has run since it was taken. */
  #still: string | null = null;
  #host: GuestHost | null = null;
  #stopped = false;

  constructor(engine: WebAssembly.Module, heapBytesMax: number) {
    const pages = memoryPages(stackTop, heapBytesMax);
    this.#memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    this.#bytes = new Uint8Array(this.#memory.buffer);
    const instance = new WebAssembly.Instance(engine, { a: this.#imports(engine) });
    this.exports = nameExports(instance);
    if (this.exports.stackSave() !== stackTop) {
      throw new Error("The engine's stack is not where it was when it was tried.");
    }
    this.layout = findLayout(this.#memory, stackTop);
  }

  takeImage(into: "shared" | ArrayBuffer | null): Image {
    this.#takenCount += 1;
    this.#still = `${this.#name} ${this.#takenCount}`;
    return takeImage(this.#memory, this.layout, { into, name: this.#still });
  }

  /** Who goes on at once finds everything in its place. */
  putImage(image: Image): void {
    if (image.name === this.#still) return;
    this.#still = null;
    const bytes = this.#copies.bytesOf(image);
    putImage(this.#memory, this.layout, { ...image, bytes });
  }

  /**
   * Lets guest code run. Answers "stopped" if it was ended from inside; what else is thrown means
   * that the instance is not to be used again.
   */
  enter(host: GuestHost, work: () => void): "finished" | "stopped" {
    this.#host = host;
    this.#stopped = false;
    this.#still = null;
    try {
      work();
      return "finished";
    } catch (error) {
      if (error !== guestStopped) throw error;
      this.exports.stackRestore(stackTop);
      return "stopped";
    } finally {
      this.#host = null;
    }
  }

  stop(): never {
    this.#stopped = true;
    throw guestStopped;
  }

  /** The engine copies what it is given; the text is UTF-8 and ends at its first zero. */
  withText<T>(text: string, use: (address: number, length: number) => T): T {
    const encoded = this.#encoder.encode(text);
    const address = this.exports.malloc(encoded.length + 1) >>> 0;
    if (address === 0) return this.#heapFull();
    this.#bytes.set(encoded, address);
    this.#bytes[address + encoded.length] = 0;
    const result = use(address, encoded.length);
    this.exports.free(address);
    return result;
  }

  /** Nobody gives it back but who takes it. */
  giveBytes(bytes: Uint8Array): number {
    const address = this.exports.malloc(Math.max(1, bytes.length)) >>> 0;
    if (address === 0) return this.#heapFull();
    this.#bytes.set(bytes, address);
    return address;
  }

  readText(address: number): string {
    const start = address >>> 0;
    return this.#decoder.decode(this.#bytes.subarray(start, this.#bytes.indexOf(0, start)));
  }

  /** A list of addresses, as the engine wants the arguments of a call. */
  withAddresses<T>(addresses: readonly number[], use: (address: number) => T): T {
    const at = this.exports.malloc(addresses.length * 4) >>> 0;
    if (at === 0) return this.#heapFull();
    const words = new DataView(this.#memory.buffer);
    for (const [index, address] of addresses.entries())
      words.setUint32(at + index * 4, address, true);
    const result = use(at);
    this.exports.free(at);
    return result;
  }

  #imports(engine: WebAssembly.Module): WebAssembly.ModuleImports {
    const nothing = () => 0;
    const broken = () => {
      throw new Error("The engine has given up.");
    };
    const meant: Record<string, (...given: number[]) => unknown> = {
      [importLetters.assertionFailed]: broken,
      [importLetters.abort]: broken,
      [importLetters.exit]: broken,
      [importLetters.resizeHeap]: () => this.#heapFull(),
      [importLetters.now]: () => this.#host?.now() ?? 0,
      [importLetters.countEnvironment]: (count, size) => this.#clearWords([count, size]),
      // No offset, no summer time: what is asked of the local clock is then that of UTC.
      [importLetters.localZone]: (offset, summer) => this.#clearWords([offset, summer]),
      [importLetters.localTime]: (_, at = 0) => this.#bytes.fill(0, at, at + localTimeBytes),
      [importLetters.shouldInterrupt]: () => {
        this.#host?.poll();
        return 0;
      },
      [importLetters.callFunction]: (context = 0, _, count, given = 0) =>
        count === 2 ? this.#callHost(context, given) : 0,
    };
    const imports: WebAssembly.ModuleImports = { [importLetters.memory]: this.#memory };
    for (const { name, kind } of WebAssembly.Module.imports(engine)) {
      if (kind === "function") imports[name] = this.#guard(meant[name] ?? nothing);
    }
    return imports;
  }

  #guard(call: (...given: number[]) => unknown): (...given: number[]) => unknown {
    return (...given) => {
      if (this.#stopped) throw guestStopped;
      return call(...given);
    };
  }

  #heapFull(): never {
    if (this.#host === null) throw new Error("The engine's heap is full.");
    return this.#host.heapFull();
  }

  /** Where it is left as it was, the engine reads what happens to lie on its stack. */
  #clearWords(addresses: readonly (number | undefined)[]): number {
    for (const at of addresses) if (at !== undefined) this.#bytes.fill(0, at, at + 4);
    return 0;
  }

  #callHost(context: number, given: number): number {
    if (this.#host === null) return 0;
    const answer = this.#host.call(
      this.#argument(context, given, 0),
      this.#argument(context, given, 1),
    );
    if (answer === undefined) return 0;
    return this.withText(answer, (address) => this.exports.QTS_NewString(context, address));
  }

  #argument(context: number, given: number, index: number): string {
    const { QTS_ArgvGetJSValueConstPointer, QTS_GetString, QTS_FreeCString } = this.exports;
    const address = QTS_GetString(context, QTS_ArgvGetJSValueConstPointer(given, index));
    if (address === 0) return "";
    const text = this.readText(address);
    QTS_FreeCString(context, address);
    return text;
  }
}
