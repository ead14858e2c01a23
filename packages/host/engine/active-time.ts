import type { CoreCommand } from "@holdfast/core";
import type { LateCommand } from "../workflow-owner.ts";

/** Commands that say how long the run's code has run: each leads to a fact that keeps it. */
const telling: ReadonlySet<CoreCommand["kind"]> = new Set([
  "finish_prepare",
  "record_mutation",
  "commit_run",
  "pause_run",
  "fail_run",
  "make_way",
]);

type Commands = readonly (CoreCommand | LateCommand)[];

/**
 * How long the scripts of one workflow have run that no fact says yet. It goes with whatever is
 * made durable next, in whole milliseconds; what is left over goes with what comes after.
 */
export class ActiveTime {
  /** Of phases that are over. */
  #pastMs = 0;
  /** Of the one that runs. */
  #phaseMs = 0;
  #toldMs = 0;

  phaseBegins(): void {
    this.#pastMs += this.#phaseMs;
    this.#phaseMs = 0;
  }

  /** So far. */
  phaseRan(activeMs: number): void {
    this.#phaseMs = Math.max(activeMs, this.#phaseMs);
  }

  get untoldMs(): number {
    return Math.floor(this.#pastMs + this.#phaseMs - this.#toldMs);
  }

  /** The commands with the time that is to be told, and what to call when they are durable. */
  toldBy(commands: Commands): { readonly commands: Commands; readonly durable: () => void } {
    const activeMs = this.untoldMs;
    const at = commands.findLastIndex(
      (each) => typeof each !== "function" && telling.has(each.kind),
    );
    if (activeMs === 0 || at === -1) return { commands, durable: () => {} };
    const durable = () => {
      this.#toldMs += activeMs;
    };
    const timed = { ...commands[at], activeMs } as CoreCommand;
    return { commands: commands.with(at, timed), durable };
  }
}
