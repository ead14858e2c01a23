import type { RowKey } from "../view/row-change.ts";
import type { TableName } from "../view/tables.ts";

/** What a decision has to see. The core names it, the shell loads it, then the core decides. */
export type Need =
  /**
   * The workflow row, all topics, handlers and brakes, the open attentions, the open run with its
   * reservations, the events it holds, every mutation of that run and the one it carries over. Of
   * a job's run: the item it is in and the last mutation it made. So too of every run of a
   * machine's intent that has not ended.
   */
  | { readonly kind: "base" }
  | { readonly kind: "row"; readonly table: TableName; readonly key: RowKey }
  /** The input, the delivery it came as and every event it caused, each with its uses. */
  | { readonly kind: "input"; readonly inputId: string }
  /** A run, its reservations, the events they name and its mutations. */
  | { readonly kind: "run"; readonly runId: string }
  /**
   * What machines made of an event: its uses, with the runs and their mutations, and the questions
   * they name. Where the machines have not taken it in yet, what waits for them of it.
   */
  | { readonly kind: "uses"; readonly topic: string; readonly messageId: string }
  /** Every ledger row with that key. */
  | { readonly kind: "mutation_key"; readonly mutationKey: string }
  /** The item and every mutation of its current attempt, or of all of them. */
  | { readonly kind: "item"; readonly itemId: string; readonly everyAttempt?: boolean }
  /** The oldest pending event of every topic that has a subscriber. */
  | { readonly kind: "oldest_pending" }
  /** The oldest waiting deliveries of a handler, at most `deliveriesPerRunMax`. */
  | { readonly kind: "waiting_deliveries"; readonly handler: string }
  /** The oldest inputs for machines, at most `machineInputsMax`. */
  | { readonly kind: "machine_inputs" };

/** What one frame takes in at most. The stores' statements have the same number. */
export const machineInputsMax = 256;

/** What one run may be given at once. */
export const deliveriesPerRunMax = 100;
