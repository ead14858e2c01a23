import type { SliceAnswer, SliceRequest, WorkerStart } from "../worker/protocol.ts";
import { chooseThread } from "./choose-thread.ts";
import { Durations } from "./durations.ts";
import { SentBack, SliceThread } from "./slice-thread.ts";

type Waiting = {
  readonly request: SliceRequest;
  readonly runningMsMax: number;
  readonly resolve: (answer: SliceAnswer) => void;
  readonly reject: (error: unknown) => void;
};

/** One thread for all that is asked. */
export type PinnedThread = {
  /** Throws ThreadLost; all that was left there is lost too. */
  ask(request: SliceRequest, runningMsMax: number): Promise<SliceAnswer>;
  /** It comes no more, or seldom. */
  letGo(): void;
};

/** So many requests in a row that met no other: before that, many may wait for something else. */
const aloneAfter = 8;

const fewStepsBytes = 1_024;

/** Requests go to whichever thread is free or will be soon, in the order they came. */
export class SlicePool {
  readonly #start: WorkerStart;
  readonly #threadsMax: number;
  readonly #all = new Set<SliceThread>();
  readonly #queue: Waiting[] = [];
  readonly #durations = new Durations();
  readonly #pinned = new WeakMap<SliceThread, number>();
  /** Requests since two were last here at once. */
  #aloneCount = 0;
  #closed = false;

  constructor(start: WorkerStart, threadsMax: number) {
    this.#start = start;
    this.#threadsMax = threadsMax;
  }

  /** Throws ThreadLost if the thread had to be ended or died. */
  ask(request: SliceRequest, runningMsMax: number): Promise<SliceAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closedError());
      this.#queue.push({ request, runningMsMax, resolve, reject });
      this.#next();
    });
  }

  /**
   * For somebody who leaves something in a thread and comes again. The one that fewest have come
   * to, or that has less to do just now; who will not come any more says so.
   */
  pin(): PinnedThread {
    const all = [...this.#all].filter(({ isLost }) => !isLost);
    const count = (thread: SliceThread) => this.#pinned.get(thread) ?? 0;
    const [least] = all.sort((a, b) => count(a) - count(b) || a.load - b.load);
    const mayBeNew = !this.#closed && this.#all.size < this.#threadsMax;
    const isFree = least !== undefined && (count(least) === 0 || !mayBeNew);
    const thread = isFree ? least : this.#newThread();
    this.#pinned.set(thread, count(thread) + 1);
    let isHeld = true;
    return {
      ask: (request, runningMsMax) => this.#askPinned(thread, request, runningMsMax),
      letGo: () => {
        if (isHeld) this.#pinned.set(thread, count(thread) - 1);
        isHeld = false;
      },
    };
  }

  async #askPinned(
    thread: SliceThread,
    request: SliceRequest,
    runningMsMax: number,
  ): Promise<SliceAnswer> {
    const options = { runningMsMax, isAlone: false, expectedMs: Number.POSITIVE_INFINITY };
    for (;;) {
      if (this.#closed) throw closedError();
      try {
        const { answer } = await thread.ask(request, options);
        return answer;
      } catch (error) {
        if (!(error instanceof SentBack)) throw error;
      } finally {
        this.#next();
      }
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#queue.splice(0)) reject(closedError());
    await Promise.all([...this.#all].map((thread) => thread.end()));
  }

  #next(): void {
    for (;;) {
      const [waiting] = this.#queue;
      const thread = waiting === undefined ? null : this.#threadFor(waiting.request);
      if (waiting === undefined || thread === null) return;
      this.#queue.shift();
      void this.#serve(thread, waiting);
    }
  }

  #threadFor(request: SliceRequest): SliceThread | null {
    for (const thread of this.#all) if (thread.isLost) this.#all.delete(thread);
    const chosen = chooseThread([...this.#all], {
      expectedMs: this.#durations.expect(request),
      // What was moved into a thread is lost with it: before such a request nothing may hang.
      mustBeFirst: request.kind === "resume",
      mayBeNew: this.#all.size < this.#threadsMax,
    });
    return chosen === "new" ? this.#newThread() : chosen;
  }

  #newThread(): SliceThread {
    const thread = new SliceThread(this.#start, () => this.#next());
    this.#all.add(thread);
    return thread;
  }

  #isAlone(): boolean {
    this.#aloneCount += 1;
    if (this.#queue.length > 0) this.#aloneCount = 0;
    for (const { load } of this.#all) if (load > 0) this.#aloneCount = 0;
    return this.#aloneCount > aloneAfter;
  }

  async #serve(thread: SliceThread, waiting: Waiting): Promise<void> {
    const { request, runningMsMax } = waiting;
    const isAlone = this.#isAlone() && isShort(request);
    const expectedMs = this.#durations.expect(request);
    try {
      const { answer, tookMs } = await thread.ask(request, { runningMsMax, isAlone, expectedMs });
      this.#durations.note(request, tookMs);
      waiting.resolve(answer);
    } catch (error) {
      if (!(error instanceof SentBack)) waiting.reject(error);
      else if (this.#closed) waiting.reject(closedError());
      else this.#queue.unshift(waiting);
    }
    this.#next();
  }
}

/** Whoever looks out for the answer would do so in vain if it takes many steps to get there. */
function isShort(request: SliceRequest): boolean {
  return request.kind !== "steps" || request.calls.length < fewStepsBytes;
}

function closedError(): Error {
  return new Error("The sandbox is closed.");
}
