import {
  everyBrake,
  type InboxEntry,
  parseCommand,
  type Store,
  workflowBrake,
} from "@holdfast/core";

/** Behind more than these it is the owner who finds the brake, before the next call. */
export const inboxLookMax = 100;

export type WatchedSend = { isBraked(): boolean; end(): void };

type WatchedStore = Pick<Store, "readInbox" | "findStoreBrake" | "tellOfStoreBrake">;

type Sending = { readonly operation: string; isBraked: boolean };

/**
 * A brake that comes while a call is on its way out: the inbox is looked at before its owner folds
 * it, so that the last check before the first byte can say no. What it says is not the truth about
 * the brake, which is what the owner decides; a call that was held back is recorded as not sent.
 */
export class BrakeWatch {
  readonly #store: WatchedStore;
  readonly #sending = new Map<string, Sending>();
  readonly #onTrouble: (cause: unknown) => void;
  /** At the brake of the store: the one that is being made, or was last, and the one after it. */
  #look: Promise<boolean> | null = null;
  #nextLook: Promise<boolean> | null = null;

  constructor(store: WatchedStore, onTrouble: (cause: unknown) => void) {
    this.#store = store;
    this.#onTrouble = onTrouble;
  }

  /**
   * From now until `end` the call may be held back. One of a workflow at a time. `isBehind` =
   * something has come in already that its owner has not folded. The brake on all sending is
   * looked at in any case, since a wake-up may be lost, and whoever set it may not have come to
   * tell this workflow: then it is told here, so that its owner holds the call from now on.
   */
  async begin(
    { workflow, operation }: { readonly workflow: string; readonly operation: string },
    { isBehind }: { readonly isBehind: boolean },
  ): Promise<WatchedSend> {
    const sending: Sending = { operation, isBraked: false };
    this.#sending.set(workflow, sending);
    if (isBehind) this.look(workflow);
    if (await this.#isAllBraked(workflow)) sending.isBraked = true;
    return {
      isBraked: () => sending.isBraked,
      end: () => {
        if (this.#sending.get(workflow) === sending) this.#sending.delete(workflow);
      },
    };
  }

  /** If nobody can say, it is on: the call stays recorded, and is sent a little later. */
  async #isAllBraked(workflow: string): Promise<boolean> {
    try {
      const isOn = await this.#lookAtStore();
      if (isOn) await this.#store.tellOfStoreBrake(workflow);
      return isOn;
    } catch (error) {
      this.#onTrouble(error);
      return true;
    }
  }

  /** One look serves all who asked before it began; who asks later waits for the next. */
  #lookAtStore(): Promise<boolean> {
    this.#nextLook ??= this.#lookAfter(this.#look);
    return this.#nextLook;
  }

  async #lookAfter(before: Promise<boolean> | null): Promise<boolean> {
    await before?.catch(() => {});
    this.#nextLook = null;
    this.#look = this.#store.findStoreBrake().then((brake) => brake !== null);
    return this.#look;
  }

  /** Something has come in for the workflow. */
  look(workflow: string): void {
    const sending = this.#sending.get(workflow);
    if (sending === undefined) return;
    // If it cannot be read now, its owner folds it before anything else is sent.
    this.#store.readInbox(workflow, inboxLookMax).then(
      (entries) => {
        // Never taken back: an older look may answer after a newer one.
        if (isBrakedBy(entries, sending)) sending.isBraked = true;
      },
      (error: unknown) => this.#onTrouble(error),
    );
  }
}

/** In order: a brake may have been released again. */
export function isBrakedBy(
  entries: readonly InboxEntry[],
  { operation }: Pick<Sending, "operation">,
): boolean {
  const on = new Set<string>();
  for (const entry of entries) {
    const command = parseCommand(entry);
    if ("code" in command) continue;
    if (command.kind === "set_brake") on.add(command.operation);
    // One that was decided on something may be refused: it counts when the owner has said so.
    if (command.kind === "release_brake" && !("decidedOn" in command)) on.delete(command.operation);
  }
  return [operation, workflowBrake, everyBrake].some((each) => on.has(each));
}
