import fc from "fast-check";
import { expect, test } from "vitest";
import type { CoreCommand } from "../command.ts";
import { bytesOf, call, emptyCommit, producer, Scenario, version } from "../testing/scenario.ts";
import type { ItemRow } from "./item-row.ts";

const actor = "ada";
const items = ["i1", "i2"];
const subkeys = ["a", "b", "c"];

/** What happens next, by chance; what the core does not allow is left out. */
type Move = { readonly op: number; readonly a: number; readonly b: number };
/** What a job does most comes most often; what goes wrong or is decided by people, now and then. */
const often = [0, 0, 1, 1, 1, 2, 2, 2, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 7, 8, 9, 9, 10, 11, 12, 13];
const move = fc.record({ op: fc.constantFrom(...often), a: fc.nat(11), b: fc.nat(11) });

/** A job, its host and a service that counts, none of which can be relied on. */
class World {
  readonly s = new Scenario({ crashesInARowMax: 1_000 });
  /** Changes that were really made, by item, attempt and key. */
  readonly made = new Map<string, number>();
  /** Items that were done when a change was made for them. */
  readonly late: string[] = [];
  /** What was sent and not answered: whether it was carried out. */
  readonly #sent = new Map<string, boolean>();

  constructor() {
    const tidy = { ...producer("tidy"), kind: "job" } as const;
    this.s.do(version(1, 0, { topics: [], handlers: [tidy] }));
  }

  /** Whether the core took it. */
  #ask(command: CoreCommand): boolean {
    const accepted = this.s.decide([command]).ok;
    if (accepted) this.s.do(command);
    return accepted;
  }

  get #run() {
    return [...this.s.view.rows("runs")].find(({ open }) => open) ?? null;
  }

  get #open() {
    const { mutationId = null } = this.#run ?? {};
    return mutationId === null ? null : this.s.view.find("mutations", mutationId);
  }

  play({ op, a, b }: Move): void {
    const runId = this.#run?.runId ?? "r0";
    const itemId = items[a % items.length] ?? "i1";
    const mutationId = this.#open?.mutationId ?? "m0";
    switch (op) {
      case 0: {
        const asOf = this.s.view.head.seq;
        this.#ask({ kind: "start_run", handler: "tidy", asOf, trigger: "manual" });
        return;
      }
      case 1:
        this.#ask({ kind: "enter_item", runId, itemId, title: itemId });
        return;
      case 2:
      case 3:
        this.#goOn(itemId);
        return this.#call(this.#run?.runId ?? runId, a, b);
      case 4:
        return this.#send(mutationId, a % 2 === 0);
      case 5:
        return this.#answer(mutationId, b);
      case 6: {
        const item = this.s.view.find("items", this.#run?.itemId ?? itemId);
        const complete = { itemId: item?.itemId ?? itemId, attempt: item?.attempt ?? 1 };
        this.#ask({ kind: "complete_item", runId, ...complete, publishes: [] });
        return;
      }
      case 7:
        this.#ask(emptyCommit(runId));
        return;
      case 8:
        this.#ask({ kind: "recover_run", incarnation: `h${a + 2}` });
        this.s.now += 3_600_000;
        return;
      case 9:
        return this.#goOn(itemId);
      case 10:
        return this.#decide(itemId, b);
      case 11:
        return this.#compare(runId, itemId, b);
      case 12: {
        const failure = { class: "logic", message: "no", location: "tidy" } as const;
        this.#ask({ kind: "fail_run", runId, failure });
        this.#ask({ kind: "retry_run", runId, actor });
        return;
      }
      default:
        this.#ask({ kind: "make_way", runId });
    }
  }

  /** As a host does: starts what is due, and the handler comes to an item. */
  #goOn(itemId: string): void {
    const { runId, itemId: current } = this.#run ?? { runId: "r0", itemId: null };
    const asOf = this.s.view.head.seq;
    this.#ask({ kind: "start_run", handler: "tidy", asOf, trigger: "manual" });
    this.#ask({ kind: "start_retry", runId });
    this.#ask({ kind: "resume_run", runId, actor });
    const open = this.#run?.runId ?? runId;
    if (current === null) this.#ask({ kind: "enter_item", runId: open, itemId, title: itemId });
  }

  /** The same key may come with other bytes: the code has changed, or reads something else. */
  #call(runId: string, a: number, b: number): void {
    const subkey = subkeys[a % subkeys.length] ?? "a";
    const payload = bytesOf({ text: b % 3 });
    this.#ask(call(runId, { subkey, payload, canReconcile: b % 2 === 0 }));
  }

  #send(mutationId: string, isCarriedOut: boolean): void {
    if (!this.#ask(this.s.sending(mutationId))) return;
    this.#sent.set(mutationId, isCarriedOut);
    if (!isCarriedOut) return;
    const { itemId, attempt, mutationKey } = this.s.view.load("mutations", mutationId);
    const item: ItemRow = this.s.view.load("items", itemId ?? "");
    const name = `${itemId} ${attempt} ${mutationKey}`;
    this.made.set(name, (this.made.get(name) ?? 0) + 1);
    if (item.status === "done" || item.status === "skipped") this.late.push(name);
  }

  /** True, or lost on the way; a person who is asked looks at the service. */
  #answer(mutationId: string, b: number): void {
    const wasMade = this.#sent.get(mutationId) ?? false;
    const failure = { class: "precondition", message: "no", location: "shop" } as const;
    const outcome = wasMade
      ? ({ says: "applied", result: null } as const)
      : ({ says: "failed", failure, jitter: 0 } as const);
    const lost = { says: "unknown", note: "lost" } as const;
    this.#ask({ kind: "settle_mutation", mutationId, outcome: b % 3 === 0 ? lost : outcome });
    const found = wasMade
      ? ({ says: "applied", result: null } as const)
      : ({ says: "retry", note: "not seen" } as const);
    this.#ask({ kind: "answer_reconcile", mutationId, answer: found, jitter: 0 });
    const says = wasMade
      ? ({ says: "happened", result: null } as const)
      : // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
        ({ says: "did_not_happen", then: null } as const);
    if (b % 2 === 0) this.#ask({ kind: "resolve_mutation", mutationId, answer: says, actor });
  }

  #decide(itemId: string, b: number): void {
    if (b % 4 === 0) this.#ask({ kind: "reprocess_items", itemIds: [itemId], actor });
    else if (b % 4 === 1) this.#ask({ kind: "skip_item", itemId, actor });
    else if (b % 4 === 2) this.#ask({ kind: "start_fresh", handler: "tidy", actor });
    else {
      const asked = this.s.view.find("items", itemId)?.mutationId ?? null;
      const proposed = asked === null ? null : this.s.view.find("mutations", asked)?.proposed;
      const payloadHash = proposed?.hash ?? "";
      this.#ask({ kind: "accept_payload", itemId, payloadHash, actor });
    }
  }

  #compare(runId: string, itemId: string, b: number): void {
    const rows = [...this.s.view.rows("mutations")].filter((row) => row.itemId === itemId);
    const mutationId = rows[b % Math.max(rows.length, 1)]?.mutationId ?? "m0";
    const says = b % 3 === 0 ? "minor" : "significant";
    const payload = bytesOf({ other: b });
    this.#ask({ kind: "compare_payload", runId, mutationId, payload, says, note: "text" });
  }
}

const scale = Number(process.env["HOLDFAST_FUZZ_SCALE"] ?? 1);
const seed = Number(process.env["HOLDFAST_FUZZ_SEED"] ?? Date.now());

test("[R78, R81, R82] each key is made once per attempt, and done items make nothing", () => {
  const histories = 80 * scale;
  let made = 0;
  fc.assert(
    fc.property(fc.array(move, { minLength: 40, maxLength: 160 }), (moves) => {
      const world = new World();
      for (const each of moves) world.play(each);
      made += world.made.size;
      expect([...world.made].filter(([, times]) => times > 1)).toEqual([]);
      expect(world.late).toEqual([]);
    }),
    { seed, numRuns: histories },
  );
  // Or hardly anything was tried: most histories make a change, and some make three or four.
  expect(made).toBeGreaterThan(histories / 2);
});
