import type { Instant } from "../view/rows.ts";
import type { Command } from "./store.ts";

/** A brake on all sending of every workflow, whichever host works for it. */
export type StoreBrake = {
  readonly setBy: string;
  readonly setAt: Instant;
  readonly reason: string;
};

export type StoreBrakeTurn = {
  readonly isOn: boolean;
  readonly reason: string;
  /** Of who asks: the same key again is the same turn. */
  readonly key: string;
  /** What each workflow's owner is told by; its id was never used, its actor is the brake's. */
  readonly command: Omit<Command, "workflow">;
};

export type TurnedStoreBrake = {
  /** Of the turn in force, which workflows are told of. */
  readonly commandId: string;
  /** False: it was on before, by somebody else's turn, and stays so. */
  readonly changed: boolean;
};
