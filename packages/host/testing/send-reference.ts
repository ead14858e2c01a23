/**
 * What may be sent, said once more in the simplest way there is. It knows what people said and
 * what the service saw, and nothing of the code under test but its rows.
 */
import { type Grant, type MutationRow, pinPayload } from "@holdfast/core";
import type { SentCall } from "../engine/ports.ts";
import type { BookedParams } from "./booking-script.ts";
import type { Agreement, GrantedDesk } from "./granted-desk.ts";
import { type GrantedPlay, paramsOf } from "./granted-play.ts";

type Limit = Grant["limits"][number];

/** From when a call counts, and with how much. */
type Counted = { readonly at: number; readonly sum: number };

/** The last send of a call, and what it was charged to. */
type Charged = Counted & { readonly budget: string | null };

/** A send as the service saw it, with all there was in that moment. */
type Seen = {
  readonly name: string;
  readonly desk: GrantedDesk;
  readonly row: MutationRow | undefined;
  readonly hash: string;
  readonly params: BookedParams;
  readonly now: number;
  readonly connectorVersion: string;
  /** Of its own workflow, but for itself and what failed. */
  readonly others: readonly MutationRow[];
  readonly failed: ReadonlySet<string>;
};

/** A run of a consumer makes one call: before it there is none. */
const sinceMs = { run: 0, hour: 3.6e6, day: 8.64e7, week: 6.048e8 };

export class SendReference {
  readonly #play: GrantedPlay;
  sends = 0;
  /** Sends that a grant with a budget let through, and such as two people had to look at. */
  readonly tried = { budgets: 0, fourEyes: 0 };
  /** What was sent and should not have been: a host takes whatever a connector throws. */
  readonly faults: string[] = [];
  readonly #places = new Map<string, number>();
  #lastPlace = 0;
  readonly #calls = new Map<string, Charged>();
  #unjudged: Seen[] = [];

  constructor(play: GrantedPlay) {
    this.#play = play;
    play.onInFlight = (workflow, mutationId) => {
      this.#places.set(nameOf(workflow, mutationId), ++this.#lastPlace);
    };
    play.onSend = async (workflow, call) => {
      this.sends += 1;
      this.#unjudged.push(await this.#see(workflow, call));
    };
    play.onRest = () => this.#judgeAll();
  }

  async #see(workflow: string, call: SentCall): Promise<Seen> {
    const { desks, now, connectorVersion } = this.#play;
    const desk = desks.find((each) => each.workflow === workflow) as GrantedDesk;
    const failed = new Set<string>();
    for (const each of desks) {
      for (const { mutationId, state } of await each.rows("mutations")) {
        if (state === "failed") failed.add(nameOf(each.workflow, mutationId));
      }
    }
    const rows = await desk.rows("mutations");
    const row = rows.find(({ state }) => state === "in_flight");
    const others = rows.filter((each) => each !== row && each.state !== "failed");
    const { hash } = pinPayload(call.payload).payload;
    const name = nameOf(workflow, row?.mutationId ?? "none");
    const params = paramsOf(call);
    return { name, desk, row, hash, params, now, connectorVersion, others, failed };
  }

  /** In the order in which it was decided: who came later had to know of who came before. */
  #judgeAll(): void {
    const placeOf = ({ name }: Seen) => this.#places.get(name) ?? 0;
    const all = this.#unjudged.sort((a, b) => placeOf(a) - placeOf(b));
    this.#unjudged = [];
    for (const seen of all) {
      const fault = this.#faultOf(seen);
      if (fault !== null) this.faults.push(`${JSON.stringify(seen.params)} ${fault}`);
    }
  }

  #faultOf(seen: Seen): string | null {
    const { desk, row, params, now, name } = seen;
    if (row?.payloadHash !== seen.hash) return "is not what the ledger says";
    const fits = desk.grants.filter((grant) => isAbout(grant, params, now));
    const granting = fits.filter(({ say }) => say !== "deny");
    const own = granting.filter(({ limits }) => this.#isWithin(limits, seen, { of: "own" }));
    const free = own.filter(({ limits }) => this.#isWithin(limits, seen, { of: "budget" }));
    const allows = free.filter(({ say }) => say === "allow");
    const asks = free.filter(({ say }) => say === "ask");
    const covering = allows.length > 0 ? allows : asks;
    const charge = this.#charge(seen, covering);
    this.#calls.set(name, { at: now, sum: this.#sumOf(seen), budget: row.budget });
    if (fits.length > granting.length) return "is denied";
    if (charge !== null) return charge;
    if (allows.length > 0) return null;
    if (asks.length > 0) return this.#whyNotApproved(seen, row, fits);
    return own.length > 0 ? "is beyond a budget" : "is not granted";
  }

  /** Where all that cover it name one budget, it is charged to that. */
  #charge({ row }: Seen, covering: readonly Grant[]): string | null {
    const budgets = new Set(covering.map(({ limits }) => budgetIn(limits)));
    if (budgets.size !== 1 || row === undefined) return null;
    const [budget = null] = budgets;
    if (budget !== null) this.tried.budgets += 1;
    return row.budget === budget ? null : `is charged to ${row.budget}, and not to ${budget}`;
  }

  #sumOf({ desk, params, name }: Seen): number {
    const isCounted = desk.grants.some(({ amount }) => amount !== null);
    return isCounted ? params.sum : (this.#calls.get(name)?.sum ?? 0);
  }

  #isWithin(limits: readonly Limit[], seen: Seen, which: { of: "own" | "budget" }): boolean {
    const isMeant = (limit: Limit) => (limit.of === undefined) === (which.of === "own");
    return limits.filter(isMeant).every((limit) => {
      const all = limit.of === undefined ? this.#ownOf(seen) : this.#chargedTo(limit.of, seen);
      const used = all.filter(({ at }) => at > seen.now - sinceMs[limit.per]);
      const sum = used.reduce((total, each) => total + each.sum, seen.params.sum);
      const { count, amount } = limit;
      return (count === null || used.length < count) && (amount === null || sum <= amount);
    });
  }

  /** Of what was never sent only the ledger knows. */
  #ownOf({ desk, others }: Seen): readonly Counted[] {
    return others.map(({ mutationId, recordedAt, amount }) => {
      const sent = this.#calls.get(nameOf(desk.workflow, mutationId));
      return sent ?? { at: recordedAt, sum: (amount ?? 0) / 10_000 };
    });
  }

  /** Whatever workflow it was of. */
  #chargedTo(budget: string, { name, failed }: Seen): readonly Counted[] {
    return [...this.#calls].flatMap(([other, call]) => {
      return other !== name && !failed.has(other) && call.budget === budget ? [call] : [];
    });
  }

  #whyNotApproved(seen: Seen, row: MutationRow, fits: readonly Grant[]): string | null {
    const { desk, now, hash, connectorVersion } = seen;
    const { approval } = row;
    const isLive = approval !== null && approval.approvedAt !== null && now < approval.expiresAt;
    const isThis = approval?.payloadHash === hash && row.connectorVersion === connectorVersion;
    const agreements = desk.agreements.get(row.mutationId) ?? [];
    if (!isLive || !isThis || agreements.length === 0) return "is not approved";
    const areNeeded = fits.some(({ fourEyes }) => fourEyes);
    if (areNeeded) this.tried.fourEyes += 1;
    const covers = agreements.some((agreed) => isEnough(agreed, seen, areNeeded));
    return covers ? null : "is approved by nobody who may";
  }
}

function nameOf(workflow: string, mutationId: string): string {
  return `${workflow} ${mutationId}`;
}

function budgetIn(limits: readonly Limit[]): string | null {
  return limits.find(({ of }) => of !== undefined)?.of ?? null;
}

/** Whoever had a say in the call is not the second pair of eyes. */
function isEnough(agreed: Agreement, { desk, params }: Seen, areNeeded: boolean): boolean {
  if (!areNeeded && !agreed.shownFourEyes) return true;
  const wereAskedFor = agreed.grants.some((grant) => {
    return grant.fourEyes && isAbout(grant, params, agreed.at);
  });
  if (!wereAskedFor && !agreed.shownFourEyes) return false;
  const hadASay = [
    ...(desk.authors.get(params.preparedBy) ?? []),
    ...(desk.authors.get(params.madeBy) ?? []),
    ...agreed.authors,
    ...params.editedBy,
  ];
  return !hadASay.includes(agreed.actor);
}

function isAbout({ where, expiresAt }: Grant, { to, sum }: BookedParams, now: number): boolean {
  if (expiresAt !== null && expiresAt <= now) return false;
  return where.every((each) => {
    if (each.at === "/to") return "equals" in each && each.equals === to;
    const { min = -1, max = 1e9 } = each as { min?: number; max?: number };
    return sum >= min && sum <= max;
  });
}
