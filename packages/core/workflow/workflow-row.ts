import type { Instant, Seq } from "../view/rows.ts";
import type { WorkflowStatus } from "./workflow-status.ts";

export type WorkflowRow = {
  name: string;
  status: WorkflowStatus;
  /** Set by the host, cleared by a person; null = nothing is wrong. */
  error: string | null;
  versionMajor: number;
  versionMinor: number;
  scriptHash: string | null;
  /** Inbox position up to which every command has its verdict. */
  inboxThrough: number;
  /** Where verification may start; 0 = at the first record. */
  checkpointSeq: Seq;
  createdAt: Instant;
  /** What the active version uses outside, one text each; null = there is no version yet. */
  connections: readonly string[] | null;
  /** The store it goes on in; null = the one it was made in, which was never restored. */
  storeIncarnation: string | null;
  /** What was there by then may have been worked off in a time that is forgotten; null = none. */
  restoredThrough: Seq | null;
  /** Producers that have not run since the restore; null = there was none. */
  behindRestore: readonly string[] | null;
  /** Of the grants in force; 0 = nothing was ever granted. */
  envelope: number;
  /** Who activated the active version; null = there is none, or it was not written down. */
  deployedBy: string | null;
  /** Who proposed it; null = it was no proposal, or it was not written down. */
  proposedBy: string | null;
  /** Last record of its machines' kernel; 0 = it never had any. */
  machineSeq: number;
  /** When the machines want a turn though nothing came in; null = they wait for the outside. */
  machineDueAt: Instant | null;
  /** Of the fact that brought the last input for machines, and of the last that was served. */
  machineInputSeq: Seq;
  machineThrough: Seq;
  /** What the machines of the active version are, `<machine> <hash>` each; null = not known. */
  definitions: readonly string[] | null;
  /** Number of the last proposal; 0 = there was none. */
  proposalCount: number;
  /** Number of the proposal that is to be applied; null = none is. */
  applying: number | null;
  /**
   * Last record of the machines' kernel from before the restore point; null = there is no such
   * point, or no frame was kept since.
   */
  restoredMachineSeq: number | null;
  /** Turns of its machines that were begun in a row after a death, and did not end. */
  machineTurns: number;
};
