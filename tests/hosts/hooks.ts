import { type Boundary, statementNames } from "@holdfast/store/postgres";
import { nanos } from "./history-line.ts";
import { say } from "./say.ts";

/**
 * Places in the work itself, beside the statements of the store. `before check` and `after check`
 * lie around the last look at the lease before an outside change.
 */
export const workHooks = [
  "before step",
  "before commit",
  "before check",
  "after check",
  "performed",
  "before settle",
  "before rest",
] as const;

export type WorkHook = (typeof workHooks)[number];
export type Hook = WorkHook | Boundary;

export const allHooks: readonly Hook[] = [
  ...workHooks,
  ...statementNames.flatMap((name): Hook[] => [`${name} sending`, `${name} answered`]),
];

/** Stops the process where it is told to, in the very instruction. */
export class HookStop {
  readonly #passed = new Set<string>();
  #armed: string | null;

  constructor(armed: string | null) {
    this.#armed = armed;
  }

  arm(hook: string): void {
    this.#armed = hook;
  }

  readonly pass = (hook: Hook): void => {
    if (!this.#passed.has(hook)) say({ kind: "passed", hook });
    this.#passed.add(hook);
    if (hook !== this.#armed) return;
    this.#armed = null;
    say({ kind: "stopping", hook, at: nanos() });
    process.kill(process.pid, "SIGSTOP");
    say({ kind: "continued", hook, at: nanos() });
  };
}
