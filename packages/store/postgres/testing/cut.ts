/**
 * Where a connection breaks. A request is what a client sends up to and including a Sync, a simple
 * Query or a Terminate; its response ends with ReadyForQuery.
 */
export type CutPlace =
  /** Nothing of the request reaches the server. */
  | { readonly at: "before" }
  /** So many bytes reach the server, at most all but the last. */
  | { readonly at: "mid-request"; readonly bytes: number }
  /** The whole request reaches the server, and it has answered before its side is closed. */
  | { readonly at: "after-request" }
  /** The whole request is sent and the server's side closed at once. */
  | { readonly at: "after-request-both" }
  /** The server has acted; so many bytes of the response reach the client, at most all. */
  | { readonly at: "mid-response"; readonly bytes: number }
  /** The client is cut now; the request reaches the server when `deliver` is called. */
  | { readonly at: "hold-then-deliver" }
  /** Nobody is cut: the request waits for `release`. */
  | { readonly at: "stall" }
  /** Nobody is cut: the server acts, and the response waits for `release`. */
  | { readonly at: "stall-response" };

export type Cut = {
  readonly place: CutPlace;
  /** Which of the requests from now on, over all connections; the first is 1, and the default. */
  readonly request?: number;
  /** Only requests with such SQL are counted. */
  readonly matching?: RegExp;
  /** How the client learns of it; a close is the default. */
  readonly how?: "close" | "reset";
};

/** Grows with what happens; read it when that is over. */
export type RequestReport = {
  /** Of the connections and of the requests of the proxy, from 1. */
  readonly connection: number;
  readonly number: number;
  /** Of every statement in it, also of those parsed by an earlier request. */
  readonly sql: string;
  readonly length: number;
  responseLength: number;
  /** The server's ReadyForQuery has come. */
  isAnswered: boolean;
  /** Null = it went through. */
  cut: CutPlace["at"] | null;
};

/** What was planned, as a thing to wait for. */
export class PlannedCut {
  readonly cut: Cut;
  /** The request has come and the client is cut, or waits. */
  readonly hit: Promise<RequestReport>;
  /** The server has nothing of this connection any more, or after a stall: it has answered. */
  readonly settled: Promise<RequestReport>;
  readonly #hit: (report: RequestReport) => void;
  readonly #settled: (report: RequestReport) => void;
  #goOn: (() => void) | null = null;
  #countdown: number;

  constructor(cut: Cut) {
    const hit = Promise.withResolvers<RequestReport>();
    const settled = Promise.withResolvers<RequestReport>();
    [this.hit, this.settled] = [hit.promise, settled.promise];
    [this.#hit, this.#settled] = [hit.resolve, settled.resolve];
    this.cut = cut;
    this.#countdown = cut.request ?? 1;
  }

  /** True = this is the request. */
  countDown(sql: string): boolean {
    if (this.cut.matching !== undefined && !this.cut.matching.test(sql)) return false;
    this.#countdown -= 1;
    return this.#countdown === 0;
  }

  markHit(report: RequestReport, goOn: (() => void) | null): void {
    this.#goOn = goOn;
    this.#hit(report);
  }

  markSettled(report: RequestReport): void {
    this.#settled(report);
  }

  /** Of a request that is held: the server gets it now, and has answered when this is over. */
  async deliver(): Promise<RequestReport> {
    this.#continue("hold-then-deliver");
    return this.settled;
  }

  /** Of what is stalled: it goes on as if nothing had been. */
  async release(): Promise<RequestReport> {
    this.#continue("stall", "stall-response");
    return this.settled;
  }

  #continue(...places: readonly CutPlace["at"][]): void {
    if (!places.includes(this.cut.place.at)) throw new Error(`not with ${this.cut.place.at}`);
    if (this.#goOn === null) throw new Error("the request has not come yet");
    this.#goOn();
  }
}
