import type { Census } from "@holdfast/core";
import { DueTimer } from "./due-timer.ts";
import { fairShare } from "./fair-share.ts";
import type { HeldLease } from "./held-lease.ts";
import type { Holdings } from "./holdings.ts";
import { LeftWork } from "./left-work.ts";
import type { MembershipOptions } from "./membership-options.ts";
import type { MembershipPolicy } from "./membership-policy.ts";
import type { StoreCaller } from "./store-caller.ts";
import type { Strays } from "./strays.ts";

/**
 * Why the host looks for work. poll: because it has not looked for a while. taken: the last look
 * was worth it. due, unsure: what is due next was expected now. grace: others had their time.
 * named: only this host can go on with a workflow.
 */
export type Reason =
  | "start"
  | "wake"
  | "poll"
  | "due"
  | "unsure"
  | "grace"
  | "released"
  | "taken"
  | "named";

type Named = { readonly workflow: string; readonly resolve: (isTaken: boolean) => void };

/** After these the time at which the next work falls due may be another. */
const movesDueTime: readonly Reason[] = ["start", "due", "released", "taken"];

type Parts = {
  readonly options: MembershipOptions;
  readonly policy: MembershipPolicy;
  readonly lease: HeldLease;
  readonly holdings: Holdings;
  readonly caller: StoreCaller;
  readonly strays: Strays;
};

/**
 * Looks for work, one look at a time; reasons that come meanwhile make one more look together. A
 * look begins with one cheap statement, the census, and ends there when nothing waits.
 */
export class ClaimLoop {
  readonly #parts: Parts;
  readonly #dueTimer: DueTimer;
  readonly #leftWork: LeftWork;
  readonly #reasons = new Set<Reason>();
  #named: Named[] = [];
  #isLooking = false;
  #looking: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
    const look = (reason: Reason) => this.look(reason);
    this.#dueTimer = new DueTimer({ ...parts, look });
    this.#leftWork = new LeftWork({ ...parts, look });
  }

  look(reason: Reason): void {
    this.#reasons.add(reason);
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#looking = this.#lookWhileAsked();
  }

  /** Takes one that need not be due; false = not now. It waits for its turn among the looks. */
  claimOne(workflow: string): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#named.push({ workflow, resolve });
    this.look("named");
    return promise;
  }

  end(): void {
    this.#dueTimer.cancel();
    this.#leftWork.cancel();
  }

  /** Resolves when no claim is on its way any more. */
  async settled(): Promise<void> {
    await this.#looking;
  }

  async #lookWhileAsked(): Promise<void> {
    try {
      while (this.#reasons.size > 0 && this.#parts.lease.holds()) {
        const reasons = new Set(this.#reasons);
        this.#reasons.clear();
        await this.#lookOnce(reasons);
      }
    } finally {
      this.#isLooking = false;
      for (const { resolve } of this.#named.splice(0)) resolve(false);
    }
  }

  async #lookOnce(reasons: ReadonlySet<Reason>): Promise<void> {
    const { options, lease, caller, strays } = this.#parts;
    await strays.searchIfDue();
    for (const { workflow, resolve } of this.#named.splice(0)) {
      resolve(await this.#claimNamed(workflow));
    }
    if (reasons.size === 1 && reasons.has("named")) return;
    const census = await caller.call("census", () => options.store.census());
    if (!census.ok || !lease.holds()) return;
    this.#leftWork.noteHosts(census.value.hosts);
    if (census.value.waiting > 0) await this.#take(census.value, reasons);
    else await this.#giveAndRest(census.value, reasons);
  }

  async #take(census: Census, reasons: ReadonlySet<Reason>): Promise<void> {
    const { options, policy, holdings } = this.#parts;
    if (reasons.has("wake")) await this.#dueTimer.learn();
    const room = options.capacity - holdings.size;
    if (room <= 0) return;
    const mayTakeAll = await this.#leftWork.mayTakeAll();
    const { mayClaim } = fairShare(census, holdings.size);
    const wanted = mayTakeAll ? census.waiting : mayClaim;
    if (wanted === 0) return this.#leftWork.leave();
    const taken = await this.#claim(Math.min(wanted, room, policy.claimsPerCallMax));
    if (taken > 0) this.look("taken");
  }

  async #giveAndRest(census: Census, reasons: ReadonlySet<Reason>): Promise<void> {
    this.#leftWork.cancel();
    const { handOver } = fairShare(census, this.#parts.holdings.size);
    if (handOver > 0 && this.#leftWork.othersMove()) await this.#handOver(handOver);
    if (reasons.has("unsure")) this.#dueTimer.forget();
    else if (movesDueTime.some((reason) => reasons.has(reason))) await this.#dueTimer.set();
  }

  async #claim(limit: number): Promise<number> {
    const { options, lease, holdings, caller, strays } = this.#parts;
    const { store, incarnation, listener } = options;
    if (!lease.holds()) return 0;
    const answer = await caller.call("claim", () => store.claim(incarnation, limit));
    if (!answer.ok) strays.expect();
    // An answer that comes too late is nobody's: the store gives those workflows to another host.
    if (!answer.ok || !lease.holds()) return 0;
    const { claims, tooNew } = answer.value;
    const ownerships = claims.map((claim) => holdings.add(claim));
    for (const ownership of ownerships) listener.onClaim(ownership, { isNamed: false });
    if (tooNew.length > 0) listener.onTooNew(tooNew);
    return claims.length;
  }

  async #claimNamed(workflow: string): Promise<boolean> {
    const { options, lease, holdings, caller, strays } = this.#parts;
    const { store, incarnation, listener, capacity } = options;
    if (!lease.holds() || holdings.size >= capacity) return false;
    const answer = await caller.call("claimOne", () => store.claimOne(incarnation, workflow));
    if (!answer.ok) strays.expect();
    if (!answer.ok || answer.value === null || !lease.holds()) return false;
    listener.onClaim(holdings.add(answer.value), { isNamed: true });
    return true;
  }

  /** Nothing may be done for a workflow once it is on its way to another host. */
  async #handOver(count: number): Promise<void> {
    const { options, holdings, strays } = this.#parts;
    const { listener } = options;
    const gone = holdings.endSome(count, (workflow) => listener.mayHandOver(workflow));
    if (gone.length === 0) return;
    for (const { workflow } of gone) listener.onHandOver(workflow);
    await Promise.all(gone.map((ownership) => strays.release(ownership)));
    this.look("released");
  }
}
