import type { SliceAnswer, SliceRequest, WorkerStart } from "../worker/protocol.ts";
import { SliceThread } from "./slice-thread.ts";

type Waiting = {
  readonly request: SliceRequest;
  readonly runningMsMax: number;
  readonly resolve: (answer: SliceAnswer) => void;
  readonly reject: (error: unknown) => void;
};

/** Requests go to whichever thread is free, in the order they came. */
export class SlicePool {
  readonly #start: WorkerStart;
  readonly #threadsMax: number;
  readonly #free: SliceThread[] = [];
  readonly #all = new Set<SliceThread>();
  readonly #queue: Waiting[] = [];
  #closed = false;

  constructor(start: WorkerStart, threadsMax: number) {
    this.#start = start;
    this.#threadsMax = threadsMax;
  }

  /** Throws ThreadLost if the thread had to be ended or died. */
  ask(request: SliceRequest, runningMsMax: number): Promise<SliceAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Error("The sandbox is closed."));
      this.#queue.push({ request, runningMsMax, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#queue.splice(0)) reject(new Error("The sandbox is closed."));
    await Promise.all([...this.#all].map((thread) => thread.end()));
  }

  #next(): void {
    if (this.#queue.length === 0) return;
    const thread = this.#takeThread();
    if (thread === null) return;
    const waiting = this.#queue.shift();
    if (waiting !== undefined) void this.#serve(thread, waiting);
  }

  #takeThread(): SliceThread | null {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#all.size >= this.#threadsMax) return null;
    const thread = new SliceThread(this.#start);
    this.#all.add(thread);
    return thread;
  }

  async #serve(thread: SliceThread, waiting: Waiting): Promise<void> {
    try {
      const { request, runningMsMax } = waiting;
      const isAlone = this.#queue.length === 0 && this.#all.size - this.#free.length === 1;
      waiting.resolve(await thread.ask(request, { runningMsMax, isAlone }));
    } catch (error) {
      waiting.reject(error);
    }
    if (thread.isLost) this.#all.delete(thread);
    else this.#free.push(thread);
    this.#next();
  }
}
