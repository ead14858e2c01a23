import type { Change, Store } from "@holdfast/core";

/** From when to when the ledger allowed a call to be on its way, by the one true clock. */
type Allowed = { readonly from: number; readonly until: number };

/**
 * Looks on while sends are allowed. What the rows say of time comes from the hosts' own clocks,
 * which are wrong now and then; durations and this witness are not.
 */
export class AllowedSends {
  readonly #now: () => number;
  readonly #providerKeys = new Map<string, string>();
  readonly #allowed = new Map<string, Allowed[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The store, with every commit looked at. */
  watched(store: Store): Store {
    const commit: Store["commit"] = async (changes) => {
      const answers = await store.commit(changes);
      changes.forEach((change, index) => {
        if (answers[index]?.kind === "committed") this.#witness(change);
      });
      return answers;
    };
    return { ...store, commit };
  }

  /** What is wrong with a call that has reached the outside just now; null = nothing. */
  faultOf(providerKey: string): string | null {
    const allowed = this.#allowed.get(providerKey);
    if (allowed === undefined) return "without being in the ledger as sent";
    const now = this.#now();
    if (allowed.some(({ from, until }) => from <= now && now <= until)) return null;
    return "when its sender had to be quiet";
  }

  #witness({ workflow, rows, records }: Change): void {
    for (const row of rows) {
      if (!("table" in row) || row.table !== "mutations") continue;
      if (row.op === "insert") {
        this.#providerKeys.set(`${workflow} ${row.row.mutationId}`, row.row.providerKey);
      }
      if (row.op === "delete") continue;
      // A call may be recorded and sent in one change: then it comes into the ledger as sent.
      const { state, sendBy, timeoutMs } = row.op === "insert" ? row.row : row.set;
      if (state !== "in_flight") continue;
      const mutationId = row.op === "insert" ? row.row.mutationId : row.key[0];
      const key = this.#providerKeys.get(`${workflow} ${mutationId}`) ?? "";
      const lastsMs = (sendBy ?? 0) + (timeoutMs ?? 0) - (records.at(-1)?.at ?? 0);
      const from = this.#now();
      this.#allowed.set(key, [...(this.#allowed.get(key) ?? []), { from, until: from + lastsMs }]);
    }
  }
}
