import type { CoreCommand, Instant, View } from "@holdfast/core";
import type { WorkflowOwner } from "../workflow-owner.ts";
import type { MachineLoop } from "./machine-loop.ts";
import type { Sender } from "./sender.ts";

type Parts = {
  readonly sender: Sender;
  readonly machines: MachineLoop;
  readonly owner: WorkflowOwner;
  readonly nowFor: (view: View) => Instant;
};

/**
 * Sends, and takes in meanwhile what the connector says of its progress: machines hear of it while
 * it is of use. None of that holds up what comes of the call, or is needed for it.
 */
export class HeardSend {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async send(mutationId: string): Promise<CoreCommand> {
    const { sender, machines } = this.#parts;
    let isUnderway = true;
    const sending = sender.send(mutationId).finally(() => {
      isUnderway = false;
    });
    // What goes wrong is told to whoever waits for it, below.
    const ended = sending.catch(() => {});
    while (isUnderway) {
      await Promise.race([ended, machines.nextFrame()]);
      if (isUnderway && !(await this.#hear())) break;
    }
    return sending;
  }

  /** False = not now; what was said is given again with the next turn, or is lost. */
  async #hear(): Promise<boolean> {
    const { owner, machines, nowFor } = this.#parts;
    try {
      const view = await owner.loadView();
      const now = nowFor(view);
      const commands = await machines.turnBeside(view, now);
      if (commands === null) return false;
      const executed = await owner.execute(commands, now);
      if (executed.kind === "done") return true;
    } catch {
      // The store is away, perhaps: whoever says what came of the call finds out.
      owner.dropView();
    }
    machines.drop();
    return false;
  }
}
