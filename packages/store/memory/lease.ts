import {
  type Census,
  type Claim,
  type ClaimAnswer,
  factVersion,
  type Instant,
  waitingCountMax,
} from "@holdfast/core";
import { takenHost } from "../store-errors.ts";
import { compareText } from "../text-order.ts";
import { waitingSince } from "./inbox.ts";
import type { WorkflowState } from "./workflow-state.ts";

type Lease = { readonly leaseMs: number; expiresAt: Instant };

/** Host incarnations and when their leases run out. A closed or forgotten host has none. */
export class Leases {
  readonly #leases = new Map<string, Lease>();

  open(incarnation: string, leaseMs: number, now: Instant): void {
    if (this.#leases.has(incarnation)) throw takenHost(incarnation);
    this.#leases.set(incarnation, { leaseMs, expiresAt: now + leaseMs });
  }

  /** A lease that ran out is never renewed: somebody may have taken its workflows. */
  renew(incarnation: string, now: Instant): boolean {
    const lease = this.#leases.get(incarnation);
    if (lease === undefined || now >= lease.expiresAt) return false;
    lease.expiresAt = now + lease.leaseMs;
    return true;
  }

  close(incarnation: string): void {
    this.#leases.delete(incarnation);
  }

  /** When a dead owner's lease ended; null = nobody owns it, or the owner lives. */
  diedAt(incarnation: string | null, now: Instant): Instant | null {
    if (incarnation === null || this.isLive(incarnation, now)) return null;
    return this.#leases.get(incarnation)?.expiresAt ?? 0;
  }

  liveCount(now: Instant): number {
    return [...this.#leases.values()].filter((lease) => now < lease.expiresAt).length;
  }

  isLive(incarnation: string | null, now: Instant): boolean {
    const lease = incarnation === null ? undefined : this.#leases.get(incarnation);
    return lease !== undefined && now < lease.expiresAt;
  }
}

export type Workflows = ReadonlyMap<string, WorkflowState>;

type Waiting = { readonly state: WorkflowState; readonly dueAt: Instant };

/**
 * Workflows nobody living owns that have work some time, longest overdue first. One whose owner
 * died is due whatever it says, until something is committed: it may have died in mid-run.
 */
function waitingWorkflows(workflows: Workflows, leases: Leases, now: Instant): Waiting[] {
  const waiting: Waiting[] = [];
  for (const state of workflows.values()) {
    if (leases.isLive(state.owner, now)) continue;
    const died = earliest(state.uncleanSince, leases.diedAt(state.owner, now));
    const dueAt = earliest(dueTime(state, now), died);
    if (dueAt === null) continue;
    waiting.push({ state, dueAt });
  }
  return waiting.sort(
    (a, b) => a.dueAt - b.dueAt || compareText(a.state.workflow, b.state.workflow),
  );
}

function dueWorkflows(workflows: Workflows, leases: Leases, now: Instant): Waiting[] {
  return waitingWorkflows(workflows, leases, now).filter((waiting) => waiting.dueAt <= now);
}

/**
 * Derived from the inbox each time, not stored with the due time: so no order of append and
 * commit can lose a wake-up.
 */
function dueTime(state: WorkflowState, now: Instant): Instant | null {
  return earliest(waitingSince(state, now), state.dueAt);
}

function earliest(one: Instant | null, other: Instant | null): Instant | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}

function isTooNew(state: WorkflowState): boolean {
  return state.factVersion > factVersion;
}

export function claimDue(
  workflows: Workflows,
  leases: Leases,
  request: { readonly incarnation: string; readonly limit: number; readonly now: Instant },
): ClaimAnswer {
  const { incarnation, limit, now } = request;
  if (!leases.isLive(incarnation, now)) return { claims: [], tooNew: [] };
  const due = dueWorkflows(workflows, leases, now);
  const tooNew = due
    .filter(({ state }) => isTooNew(state))
    .slice(0, limit)
    .map(({ state }) => state.workflow);
  const claims = due
    .filter(({ state }) => !isTooNew(state))
    .slice(0, limit)
    .map(({ state }) => takeOver(state, incarnation, leases.diedAt(state.owner, now)));
  return { claims, tooNew };
}

/** Null = somebody has it, or this program cannot read it. */
export function claimOne(
  state: WorkflowState,
  leases: Leases,
  { incarnation, now }: { readonly incarnation: string; readonly now: Instant },
): Claim | null {
  const isFree = state.owner === null && !isTooNew(state);
  return isFree && leases.isLive(incarnation, now) ? takeOver(state, incarnation, null) : null;
}

function takeOver(state: WorkflowState, incarnation: string, diedAt: Instant | null): Claim {
  state.uncleanSince ??= diedAt;
  state.owner = incarnation;
  state.epoch += 1;
  const { workflow, epoch, uncleanSince } = state;
  return { workflow, epoch, unclean: uncleanSince !== null };
}

export function release(state: WorkflowState | undefined, incarnation: string): void {
  if (state?.owner === incarnation) state.owner = null;
}

/** What this program could claim: one that is too new would wake it again and again. */
export function nextDueAt(workflows: Workflows, leases: Leases, now: Instant): Instant | null {
  const first = waitingWorkflows(workflows, leases, now).find(({ state }) => !isTooNew(state));
  return first?.dueAt ?? null;
}

export function takeCensus(workflows: Workflows, leases: Leases, now: Instant): Census {
  const owned = [...workflows.values()].filter((state) => leases.isLive(state.owner, now));
  const waiting = dueWorkflows(workflows, leases, now).filter(({ state }) => !isTooNew(state));
  return {
    hosts: leases.liveCount(now),
    owned: owned.length,
    waiting: Math.min(waiting.length, waitingCountMax),
  };
}
