import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from "node:worker_threads";
import { compiledBefore } from "../compiled-before.ts";
import type {
  Answered,
  Asked,
  SliceAnswer,
  SliceRequest,
  WorkerStart,
} from "../worker/protocol.ts";

/** How a request ended that got no answer. */
export class ThreadLost extends Error {
  override readonly name = "ThreadLost";
  readonly reason: "overtime" | "died";

  constructor(reason: ThreadLost["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Sent back because of the request before it: nothing came of this one, it can be asked again. */
export class SentBack extends Error {
  override readonly name = "SentBack";
}

/** Recursion in the guest is recursion in the engine, and needs room there. */
const stackSizeMb = 16;
/** Most of what passes through a thread is garbage soon. */
const maxYoungGenerationSizeMb = 24;

/** How long a thread that has nothing else to do looks out for an answer before it sleeps. */
const lookOutMs = 1;

/** Time for the engine's own check before the thread is ended from outside. */
const graceMs = 50;

/** Longer than a busy machine takes to read some dozen files. */
const learningMsMax = 30_000;

/** Most requests do not take as long; behind one that does, no other has to wait. */
const slowMs = 10;

export type TimedAnswer = { readonly answer: SliceAnswer; readonly tookMs: number };

export type AskOptions = {
  readonly runningMsMax: number;
  readonly isAlone: boolean;
  readonly expectedMs: number;
};

type Pending = Asked & {
  readonly runningMsMax: number;
  readonly expectedMs: number;
  readonly resolve: (answer: TimedAnswer) => void;
  readonly reject: (error: Error) => void;
  /** Nobody listens any more. The thread passes over it, unless it had just begun with it. */
  isSentBack: boolean;
};

/** One thread, one request after the other. Once it is lost it stays lost. */
export class SliceThread {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  /** In the order they were asked; the first is being served. */
  readonly #pending: Pending[] = [];
  readonly #unsent: Asked[] = [];
  readonly #sentBack = new Int32Array(new SharedArrayBuffer(8));
  /** Until it has said that it is ready, which is not the guest's time. */
  #isStarting = true;
  #timer: NodeJS.Timeout | undefined;
  #isSlow = false;
  #isEnding = false;
  #askedCount = 0;
  readonly #known = new Set<SliceRequest["kind"]>();
  #lost: Error | null = null;

  readonly #onPassedOver: () => void;

  /** `onPassedOver`: it has room again, and nobody gets an answer that would tell so. */
  constructor(start: WorkerStart, onPassedOver: () => void) {
    this.#onPassedOver = onPassedOver;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#worker = new Worker(new URL("../worker/thread.ts", import.meta.url), {
      workerData: { ...start, port: port2, sentBack: this.#sentBack },
      transferList: [port2],
      resourceLimits: { stackSizeMb, maxYoungGenerationSizeMb },
      env: compiledBefore(),
      execArgv: [],
    });
    this.#port.once("message", () => this.#begin());
    this.#worker.on("error", (error) => this.#lose(new ThreadLost("died", error.message)));
    this.#worker.on("exit", () => this.#lose(new ThreadLost("died", "the thread ended")));
  }

  get isLost(): boolean {
    return this.#lost !== null;
  }

  /** Requests it has, with the one it serves. */
  get load(): number {
    return this.#pending.length;
  }

  /** How long it will be busy with what it has, as far as anybody can say. */
  get expectedMs(): number {
    return this.#pending.reduce((sum, { expectedMs }) => sum + expectedMs, 0);
  }

  /** What is given to it now goes with what it was given just before. */
  get isFilling(): boolean {
    return this.#unsent.length > 0;
  }

  /** It has been at one request for long: whatever comes behind it would wait, nobody knows how. */
  get isSlow(): boolean {
    return this.#isSlow;
  }

  /**
   * Throws ThreadLost if there is no answer within the time, whatever the guest is doing, and
   * SentBack if that befell a request before this one or it took long.
   */
  ask(request: SliceRequest, options: AskOptions): Promise<TimedAnswer> {
    const { isAlone, expectedMs } = options;
    return new Promise((resolve, reject) => {
      if (this.#lost !== null) return reject(this.#lost);
      this.#askedCount += 1;
      const runningMsMax = options.runningMsMax + this.#learningMs(request);
      const asked = { number: this.#askedCount, request, isAlone };
      const limits = { runningMsMax, expectedMs };
      this.#pending.push({ ...asked, ...limits, resolve, reject, isSentBack: false });
      if (this.#isStarting) return;
      this.#post(asked);
      if (this.#pending.length === 1) this.#wake();
      if (isAlone) this.#lookOut();
    });
  }

  /** With its first steps a thread reads what it needs for them, which is not the guest's time. */
  #learningMs({ kind }: SliceRequest): number {
    if ((kind !== "steps" && kind !== "journal") || this.#known.has(kind)) return 0;
    this.#known.add(kind);
    return learningMsMax;
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#worker.terminate();
  }

  /** The first message says that it is ready. */
  #begin(): void {
    this.#isStarting = false;
    this.#port.on("message", (answered: Answered) => this.#settle(answered));
    for (const { number, request, isAlone } of this.#pending) {
      this.#post({ number, request, isAlone });
    }
    this.#wake();
  }

  /**
   * What is asked in one turn goes in one message. Steps are many already, and whoever asks for
   * them may go on for long before its turn ends.
   */
  #post(asked: Asked): void {
    this.#unsent.push(asked);
    if (asked.isAlone || asked.request.kind === "steps") this.#flush();
    else if (this.#unsent.length === 1) process.nextTick(() => this.#flush());
  }

  #flush(): void {
    const all = this.#unsent.splice(0);
    if (all.length > 0) this.#port.postMessage(all, all.flatMap(ownBuffers));
  }

  /** Waking this thread for the answer would take longer than most short phases do. */
  #lookOut(): void {
    const until = performance.now() + lookOutMs;
    do {
      const received = receiveMessageOnPort(this.#port);
      if (received !== undefined) return this.#settle(received.message as Answered);
    } while (performance.now() < until);
  }

  #wake(): void {
    this.#worker.ref();
    this.#port.ref();
    this.#watch();
  }

  /** Begins the time of the request that is served now; without one the thread is at rest. */
  #watch(): void {
    clearTimeout(this.#timer);
    this.#isSlow = false;
    const [first] = this.#pending;
    if (first === undefined) {
      // An idle thread holds no process alive, but whoever waits for its end has more to do.
      if (this.#isEnding) return;
      this.#worker.unref();
      this.#port.unref();
      return;
    }
    const leftMs = first.runningMsMax + graceMs - slowMs;
    this.#timer = setTimeout(() => {
      this.#ifStill(first, () => {
        this.#sendBackOthers();
        this.#timer = setTimeout(() => this.#ifStill(first, () => this.#overtime()), leftMs);
      });
    }, slowMs);
  }

  /** If it was this thread that was busy, the answer may lie there unheard. */
  #ifStill(first: Pending, then: () => void): void {
    setImmediate(() => {
      if (this.#pending[0] === first) then();
    });
  }

  #sendBackOthers(): void {
    this.#isSlow = true;
    const [first, ...others] = this.#pending;
    // The thread reads them the other way round, so that it never takes one from before.
    Atomics.store(this.#sentBack, 1, 0);
    Atomics.store(this.#sentBack, 0, first?.number ?? 0);
    Atomics.store(this.#sentBack, 1, others.at(-1)?.number ?? 0);
    for (const pending of others) sendBack(pending);
  }

  #overtime(): void {
    this.#lose(new ThreadLost("overtime", "the thread did not answer in time"));
    void this.#worker.terminate();
  }

  #settle({ number, answer, tookMs }: Answered): void {
    if (this.#pending[0]?.number !== number) return;
    const first = this.#pending.shift();
    this.#watch();
    if (first?.isSentBack === false && answer !== null) first.resolve({ answer, tookMs });
    else this.#onPassedOver();
  }

  /** Answers that came before its end count: the first without one is what it died of. */
  #lose(error: Error): void {
    if (this.#lost !== null) return;
    this.#drain();
    this.#lost = error;
    clearTimeout(this.#timer);
    const [first, ...others] = this.#pending.splice(0);
    if (first?.isSentBack === true) this.#onPassedOver();
    else first?.reject(error);
    for (const pending of others) sendBack(pending);
  }

  #drain(): void {
    if (this.#isStarting) return;
    for (;;) {
      const received = receiveMessageOnPort(this.#port);
      if (received === undefined) return;
      this.#settle(received.message as Answered);
    }
  }
}

function sendBack(pending: Pending): void {
  if (pending.isSentBack) return;
  pending.isSentBack = true;
  pending.reject(new SentBack("a request before it took long"));
}

function ownBuffers({ request }: Asked): ArrayBuffer[] {
  if (request.kind !== "resume") return [];
  const { bytes } = request.at.image;
  return bytes instanceof ArrayBuffer ? [bytes] : [];
}
