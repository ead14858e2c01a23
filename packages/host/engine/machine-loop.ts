import {
  type CoreCommand,
  type HostedScript,
  type Instant,
  InvariantError,
  isOfIntent,
  isPassing,
  type MutationRow,
  type View,
} from "@holdfast/core";
import type { Executor } from "@holdfast/core/machine";
import { MachineTurns, type TurnKind } from "../machines/machine-turns.ts";
import type { DeployedCode } from "./deployed-code.ts";
import type { LoopParts } from "./loop-parts.ts";
import type { Permissions } from "./permissions.ts";
import type { OnFrame } from "./ports.ts";
import { ReadCount } from "./read-count.ts";
import { HostStops } from "./stop.ts";

/** What the loop of a workflow does for its machines: one turn, as commands of one change. */
export class MachineLoop {
  readonly #parts: LoopParts;
  readonly #scripts: DeployedCode;
  readonly #turns: MachineTurns;
  /** Of a wary owner, whose predecessor died: whether the next turn is written down. */
  #begun: "no" | "beginning" | "yes" = "no";
  /** Wakes that came before the inbox was looked at last. */
  #seen = 0;

  constructor(
    parts: LoopParts,
    own: { readonly scripts: DeployedCode; readonly permissions: Permissions },
  ) {
    this.#parts = parts;
    this.#scripts = own.scripts;
    this.#turns = new MachineTurns({
      store: parts.store,
      workflow: parts.owner.workflow,
      outside: parts.outside,
      permissions: own.permissions,
      loadView: () => parts.owner.loadView(),
      admitRead: (call, runId) => {
        const { owner } = parts;
        const viewNow = () => owner.loadView();
        return new ReadCount({ owner, permissions: own.permissions, viewNow, runId }).admit(call);
      },
      stop: parts.stop,
      nextWake: () => parts.wakes?.next(this.#seen) ?? new Promise(() => {}),
      clock: parts.clock,
      timers: parts.timers,
      monotonicMs: parts.monotonicMs,
      loadScript: (view, hash) => this.#load(view, hash),
      findByKey: async (view, mutationKey) => {
        const need = { kind: "mutation_key", mutationKey } as const;
        if ((await parts.owner.loadNeeds(view, [need])) !== null) return null;
        const isMeant = (row: MutationRow) => row.mutationKey === mutationKey;
        return view.rows("mutations").find((row) => isMeant(row) && row.state !== "failed") ?? null;
      },
      loadNeeds: async (view, needs) => (await parts.owner.loadNeeds(view, needs)) === null,
    });
  }

  /** The inbox is looked at: what comes from here on is new. */
  looksNow(): void {
    this.#seen = this.#parts.wakes?.count ?? 0;
  }

  /** Where progress of an intent goes that is being sent. */
  framesOf(intentId: string): OnFrame {
    return this.#turns.streams.begin(intentId);
  }

  executorOf(intentId: string): Executor | null {
    return this.#turns.executorOf(intentId);
  }

  nextFrame(): Promise<void> {
    return this.#turns.streams.next();
  }

  /**
   * Null = what is there has to be loaded again. Where the owner is wary, the word that a turn
   * begins is a change before it: a step that kills its host must leave a trace.
   */
  async turn(
    view: View,
    now: Instant,
    { isWary, elsewhereAt }: Pick<TurnKind, "elsewhereAt"> & { readonly isWary: boolean },
  ): Promise<readonly CoreCommand[] | null> {
    const how = { isBeside: false, elsewhereAt };
    if (!isWary || this.#begun === "yes") return this.#turn(view, now, how);
    this.#begun = "beginning";
    return [{ kind: "begin_turn" }];
  }

  /** See `MachineTurns`. */
  restUntil(now: Instant): Instant | null {
    return this.#turns.restUntil(now);
  }

  endRest(): void {
    this.#turns.endRest();
  }

  end(): void {
    this.#turns.end();
  }

  /** While something is sent. */
  turnBeside(view: View, now: Instant): Promise<readonly CoreCommand[] | null> {
    return this.#turn(view, now, { isBeside: true, elsewhereAt: () => null });
  }

  /** What became of the change of a turn. */
  heard(isDone: boolean): void {
    if (!isDone) this.drop();
    else this.#begun = this.#begun === "beginning" ? "yes" : "no";
  }

  #turn(view: View, now: Instant, how: TurnKind): Promise<readonly CoreCommand[] | null> {
    return this.#orFail(view, () => this.#turns.turn(view, now, how));
  }

  /**
   * What is done in place of sending a call once more that was not made: it may have been taken
   * back while it was being sent, when nobody could. Null = it is to be sent.
   */
  insteadOfSending(
    view: View,
    mutationId: string,
    now: Instant,
  ): Promise<readonly CoreCommand[] | null> {
    const { runId, sendCount } = view.load("mutations", mutationId);
    const { itemId: intentId, ...run } = view.load("runs", runId);
    if (sendCount === 0 || intentId === null || !isOfIntent(run)) return Promise.resolve(null);
    return this.#orFail(view, async () => {
      const note = await this.#turns.whyTakenBack(view, intentId, now);
      return note === null ? null : [{ kind: "withdraw_intent", intentId, note }];
    });
  }

  async #orFail(
    view: View,
    work: () => Promise<readonly CoreCommand[] | null>,
  ): Promise<readonly CoreCommand[] | null> {
    try {
      const { scriptHash } = view.load("workflows");
      // What may be read, and where from, is said by the version that is active.
      await this.#load(view, scriptHash ?? "");
      return await work();
    } catch (error) {
      this.#turns.drop();
      const isOthers = isPassing(error) || error instanceof InvariantError;
      if (isOthers || error instanceof HostStops) throw error;
      const note = error instanceof Error ? error.message : String(error);
      return [{ kind: "fail_machines", note }];
    }
  }

  /** The change did not land, or nobody knows. */
  drop(): void {
    this.#turns.drop();
  }

  /** Calls that a predecessor was sending when it died; what became of them is found out. */
  leftBehind(view: View): readonly CoreCommand[] {
    const { incarnation } = this.#parts;
    const intents = new Set(
      [...view.rows("runs")].flatMap((run) => (run.trigger === "intent" ? [run.runId] : [])),
    );
    return [...view.rows("mutations")]
      .filter(({ state, runId }) => state === "in_flight" && intents.has(runId))
      .filter(({ senderIncarnation }) => senderIncarnation !== incarnation)
      .map(({ mutationId }) => ({ kind: "recover_intent", mutationId, incarnation }));
  }

  async #load(view: View, hash: string): Promise<HostedScript> {
    const script = await this.#scripts.load(view, hash);
    if ("fault" in script) throw new Error(script.fault);
    return script;
  }
}
