import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from "node:worker_threads";
import type { SliceAnswer, SliceRequest, WorkerStart } from "../worker/protocol.ts";

/** How a request ended that got no answer. */
export class ThreadLost extends Error {
  override readonly name = "ThreadLost";
  readonly reason: "overtime" | "died";

  constructor(reason: ThreadLost["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Recursion in the guest is recursion in the engine, and needs room there. */
const stackSizeMb = 16;
/** Most of what passes through a thread is garbage soon. */
const maxYoungGenerationSizeMb = 8;

/** How long a thread that has nothing else to do looks out for an answer before it sleeps. */
const lookOutMs = 1;

/** Time for the engine's own check before the thread is ended from outside. */
const graceMs = 50;

type Pending = {
  readonly resolve: (answer: SliceAnswer) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
};

/** One thread, one request at a time. Once it is lost it stays lost. */
export class SliceThread {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  /** Null once it has said that it is ready. */
  #starting: Promise<void> | null;
  #pending: Pending | null = null;
  #lost: Error | null = null;

  constructor(start: WorkerStart) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#worker = new Worker(new URL("../worker/thread.ts", import.meta.url), {
      workerData: { ...start, port: port2 },
      transferList: [port2],
      resourceLimits: { stackSizeMb, maxYoungGenerationSizeMb },
      env: {},
      execArgv: [],
    });
    this.#starting = new Promise((resolve) => {
      // The first message says that it is ready.
      this.#port.once("message", () => {
        this.#starting = null;
        this.#port.on("message", (answer: SliceAnswer) => this.#settle(answer));
        this.#rest();
        resolve();
      });
      this.#worker.once("exit", () => resolve());
    });
    this.#worker.on("error", (error) => this.#lose(new ThreadLost("died", error.message)));
    this.#worker.on("exit", () => this.#lose(new ThreadLost("died", "the thread ended")));
  }

  get isLost(): boolean {
    return this.#lost !== null;
  }

  /** Throws ThreadLost if there is no answer within the time, whatever the guest is doing. */
  async ask(
    request: SliceRequest,
    { runningMsMax, isAlone }: { readonly runningMsMax: number; readonly isAlone: boolean },
  ): Promise<SliceAnswer> {
    // Starting a thread is not the guest's time.
    if (this.#starting !== null) await this.#starting;
    return new Promise((resolve, reject) => {
      if (this.#lost !== null) return reject(this.#lost);
      const timer = setTimeout(() => this.#lookOnce(), runningMsMax + graceMs);
      this.#pending = { resolve, reject, timer };
      this.#worker.ref();
      this.#port.ref();
      this.#port.postMessage(request, ownBuffers(request));
      if (isAlone) this.#lookOut();
    });
  }

  /** Waking this thread for the answer would take longer than most short phases do. */
  #lookOut(): void {
    const until = performance.now() + lookOutMs;
    do {
      const received = receiveMessageOnPort(this.#port);
      if (received !== undefined) return this.#settle(received.message as SliceAnswer);
    } while (performance.now() < until);
  }

  /** An idle thread holds no process alive. */
  #rest(): void {
    this.#worker.unref();
    this.#port.unref();
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  /** If it was this thread that was busy, the answer may lie there unheard. */
  #lookOnce(): void {
    const pending = this.#pending;
    setImmediate(() => {
      if (pending !== null && this.#pending === pending) this.#overtime();
    });
  }

  #overtime(): void {
    this.#lose(new ThreadLost("overtime", "the thread did not answer in time"));
    void this.#worker.terminate();
  }

  #settle(answer: SliceAnswer): void {
    const pending = this.#take();
    this.#rest();
    pending?.resolve(answer);
  }

  #lose(error: Error): void {
    this.#lost ??= error;
    this.#take()?.reject(error);
  }

  #take(): Pending | null {
    const pending = this.#pending;
    this.#pending = null;
    if (pending !== null) clearTimeout(pending.timer);
    return pending;
  }
}

function ownBuffers(request: SliceRequest): ArrayBuffer[] {
  if (request.kind !== "resume") return [];
  const { bytes } = request.at.image;
  return bytes instanceof ArrayBuffer ? [bytes] : [];
}
