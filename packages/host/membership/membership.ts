import type { Claim, Wake } from "@holdfast/core";
import { ClaimLoop } from "./claim-loop.ts";
import { HeldLease } from "./held-lease.ts";
import { Holdings } from "./holdings.ts";
import type { LostReason, MembershipOptions } from "./membership-options.ts";
import { membershipPolicyDefaults } from "./membership-policy.ts";
import { StoreCaller } from "./store-caller.ts";
import { Strays } from "./strays.ts";

/**
 * A process among the hosts of a store: registered under a name of its own, alive by heartbeats,
 * owner of its share of the work. When it is lost or has left, it stays so: whoever wants to go on
 * joins anew, under a new name.
 */
export class Membership {
  readonly #options: MembershipOptions;
  readonly #pollMs: number;
  readonly #lease: HeldLease;
  readonly #holdings: Holdings;
  readonly #strays: Strays;
  readonly #loop: ClaimLoop;
  #cancelPoll = (): void => {};
  #endWatch = (): void => {};
  #leaving: Promise<void> | null = null;

  private constructor(options: MembershipOptions) {
    this.#options = options;
    const policy = options.policy ?? membershipPolicyDefaults;
    this.#pollMs = policy.pollMs;
    this.#lease = new HeldLease(options, (reason) => this.#lost(reason));
    this.#holdings = new Holdings(this.#lease);
    const caller = new StoreCaller(options);
    this.#strays = new Strays(options, { holdings: this.#holdings, caller });
    const [lease, holdings, strays] = [this.#lease, this.#holdings, this.#strays];
    this.#loop = new ClaimLoop({ options, policy, lease, holdings, caller, strays });
  }

  /** Registers and begins to look for work. Throws HOST_TAKEN, and what else the store throws. */
  static async join(options: MembershipOptions): Promise<Membership> {
    const membership = new Membership(options);
    await membership.#lease.open();
    if (membership.#lease.holds()) membership.#begin();
    return membership;
  }

  /** On the host's monotonic clock; in the past when it is lost or has left. */
  get mayActUntil(): number {
    return this.#lease.mayActUntil;
  }

  get ownedCount(): number {
    return this.#holdings.size;
  }

  mayAct(): boolean {
    return this.#lease.holds();
  }

  /** Of a workflow that only this host can go on with; false = not now. */
  async claimOne(workflow: string): Promise<boolean> {
    return this.#lease.holds() && (await this.#loop.claimOne(workflow));
  }

  /**
   * The workflow has nothing to do now, so it needs no owner. Does nothing for an ownership that
   * has ended already.
   */
  async rest(ownership: Pick<Claim, "workflow" | "epoch">): Promise<void> {
    if (!this.#holdings.end(ownership)) return;
    await this.#strays.release(ownership);
    // A command may have come while it was still owned, when its wake-up reached nobody.
    this.#loop.look("released");
  }

  /**
   * Ends every ownership and hands all over at once. Bring what runs to rest first: what is given
   * back like this counts as left in order. If it throws, the lease ends by itself.
   */
  leave(): Promise<void> {
    this.#leaving ??= this.#leave();
    return this.#leaving;
  }

  async #leave(): Promise<void> {
    if (!this.#lease.holds()) return;
    this.#stop();
    // A claim that came after the closing would own on behalf of nobody.
    await this.#loop.settled();
    await this.#options.store.closeHost(this.#options.incarnation);
  }

  #begin(): void {
    this.#endWatch = this.#options.store.watch((wake) => this.#wake(wake));
    this.#pollLater();
    this.#loop.look("start");
  }

  #pollLater(): void {
    this.#cancelPoll = this.#options.timers.setTimer(this.#pollMs, () => {
      if (!this.#lease.holds()) return;
      this.#pollLater();
      this.#loop.look("poll");
    });
  }

  #wake({ workflows }: Wake): void {
    if (!this.#lease.holds()) return;
    const meant = workflows ?? this.#holdings.workflows();
    const mine = meant.filter((workflow) => this.#holdings.has(workflow));
    for (const workflow of mine) this.#options.listener.onWake(workflow);
    if (workflows === null || mine.length < meant.length) this.#loop.look("wake");
  }

  #stop(): void {
    this.#lease.end();
    this.#holdings.endAll();
    this.#loop.end();
    this.#cancelPoll();
    this.#endWatch();
  }

  /** Not closed in the store: what it did was not left in order, and its successor must know. */
  #lost(reason: LostReason): void {
    this.#stop();
    this.#options.listener.onLost(reason);
  }
}
