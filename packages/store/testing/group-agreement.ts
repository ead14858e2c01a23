import type { RowChange, Store } from "@holdfast/core";
import fc from "fast-check";
import { expect } from "vitest";
import { openMemoryStore } from "../memory/index.ts";
import { Owner } from "./change-builder.ts";
import { everythingOf } from "./expectation.ts";
import { randomRowChange, startingRows } from "./random-change.ts";
import { type OpenStore, startOfTime } from "./store-case.ts";

/**
 * Several workflows change at once, in one call, with good, bad and stale changes among them. A
 * database may write them together; what comes out must be what memory makes of them one by one.
 */

const workflows = ["a", "b", "c", "d"];

/** `npm run soak` plays more of the same. */
const scale = Number(process.env["HOLDFAST_FUZZ_SCALE"] ?? 1);

type Turn = { readonly rows: readonly RowChange[]; readonly epochBehind: number };

/** One turn per workflow; few are stale, so that most groups can land as a whole. */
const randomGroup: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.record<Turn>({
    rows: fc.array(randomRowChange, { maxLength: 4 }),
    epochBehind: fc.constantFrom(...Array<number>(20).fill(0), 1),
  }),
  { minLength: workflows.length, maxLength: workflows.length },
);

/** The same rows for everybody: then everything can be written together. */
const randomUnison: fc.Arbitrary<readonly Turn[]> = fc
  .array(randomRowChange, { minLength: 1, maxLength: 4 })
  .map((rows) => workflows.map(() => ({ rows, epochBehind: 0 })));

class Side {
  readonly #store: Store;
  readonly #owners: readonly Owner[];

  private constructor(store: Store, owners: readonly Owner[]) {
    this.#store = store;
    this.#owners = owners;
  }

  static async create(store: Store): Promise<Side> {
    const owners = await Promise.all(workflows.map((workflow) => Owner.create(store, workflow)));
    for (const owner of owners) await owner.persist(...startingRows);
    return new Side(store, owners);
  }

  async commit(turns: readonly Turn[]): Promise<readonly unknown[]> {
    const changes = this.#owners.map((owner, index) => {
      const { rows = [], epochBehind = 0 } = turns[index] ?? {};
      return owner.change({ rows, epoch: owner.epoch - epochBehind });
    });
    const answers = await this.#store.commit(changes);
    return answers.map((answer, index) => {
      const change = changes[index];
      if (answer.kind === "committed" && change) this.#owners[index]?.advance(change);
      // Which constraint speaks first when a row breaks two is nobody's promise.
      return answer.kind === "refused" ? "refused" : answer;
    });
  }

  observe(): Promise<readonly unknown[]> {
    return Promise.all(this.#owners.map((owner) => everythingOf(this.#store, owner)));
  }
}

async function expectAgreement(open: OpenStore, groups: readonly (readonly Turn[])[]) {
  const options = { clock: () => startOfTime, newIncarnation: () => "store" };
  const memory = openMemoryStore(options);
  const { store, remove } = await open(options);
  try {
    const [one, other] = [await Side.create(memory), await Side.create(store)];
    for (const group of groups) expect(await other.commit(group)).toEqual(await one.commit(group));
    expect(await other.observe()).toEqual(await one.observe());
  } finally {
    await store.close();
    await remove?.();
    await memory.close();
  }
}

/** Memory and the other judge groups of changes the same. */
export async function expectGroupAgreementWith(open: OpenStore, runCount: number): Promise<void> {
  const groups = fc.array(fc.oneof(randomGroup, randomUnison), { minLength: 5, maxLength: 30 });
  const property = fc.asyncProperty(groups, (played) => expectAgreement(open, played));
  await fc.assert(property, { numRuns: Math.ceil(runCount * scale) });
}
