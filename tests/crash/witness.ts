import { writeSync } from "node:fs";
import type { Change, Command, Store } from "@holdfast/core";
import { type WitnessLine, witnessDescriptor } from "./witness-line.ts";

/**
 * Ways to break the store's word on purpose, between store and owner, to show that the matrix
 * would see it. ack-before-commit: says "durable" while the change still waits for its group.
 * split-change: makes one change durable in two halves.
 */
export const breakages = ["ack-before-commit", "split-change"] as const;
export type Breakage = (typeof breakages)[number];

export function say(line: WitnessLine): void {
  writeSync(witnessDescriptor, `${JSON.stringify(line)}\n`);
}

/** The store, with everything that it is asked for and that it acknowledges told to the parent. */
export function witnessed(store: Store, breakage: Breakage | null, tell = say): Store {
  const sayHead = (kind: "asked" | "committed", { workflow, records }: Change): void => {
    const last = records.at(-1);
    if (last !== undefined) tell({ kind, workflow, seq: last.seq, hash: last.hash });
  };
  const sayCommand = (kind: "appending" | "appended", { workflow, commandId }: Command): void => {
    tell({ kind, workflow, commandId });
  };
  const ackEarly = breakage === "ack-before-commit";
  /** The first record lands alone and unannounced; what is left is the rest of the change. */
  const commitHalf = async (change: Change): Promise<Change> => {
    const { records, expectedHead } = change;
    if (records.length < 2) return change;
    await store.commit([{ ...change, records: records.slice(0, 1), rows: [], blobs: [] }]);
    return { ...change, records: records.slice(1), expectedHead: expectedHead + 1 };
  };
  const commit: Store["commit"] = async (changes) => {
    for (const change of changes) sayHead("asked", change);
    if (ackEarly) for (const change of changes) sayHead("committed", change);
    const answers = await store.commit(
      breakage === "split-change" ? await Promise.all(changes.map(commitHalf)) : changes,
    );
    for (const [index, change] of changes.entries()) {
      if (!ackEarly && answers[index]?.kind === "committed") sayHead("committed", change);
    }
    return answers;
  };
  const appendCommand: Store["appendCommand"] = async (command) => {
    sayCommand("appending", command);
    if (ackEarly) sayCommand("appended", command);
    const receipt = await store.appendCommand(command);
    if (!ackEarly) sayCommand("appended", command);
    return receipt;
  };
  // A store hides its parts in private fields, so its own methods must see the store itself.
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "commit") return commit;
      if (name === "appendCommand") return appendCommand;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
