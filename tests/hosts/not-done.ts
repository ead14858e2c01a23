import type { CommitAnswer } from "@holdfast/core";
import type { Executed } from "@holdfast/host";

/** A commit that is not known to have landed: the view is gone, and nothing may be performed. */
export class NotDone extends Error {
  readonly answer: CommitAnswer["kind"];

  constructor(answer: CommitAnswer["kind"]) {
    super(`the commit was answered ${answer}`);
    this.answer = answer;
  }
}

/** A refusal is a mistake of the driver, except where it says that there is nothing to do. */
export function settled(executed: Executed, { mayRefuse } = { mayRefuse: false }): void {
  if (executed.kind === "done") return;
  if (executed.kind === "lost") throw new NotDone(executed.answer.kind);
  if (!mayRefuse) throw new TypeError(`refused: ${JSON.stringify(executed.refusal)}`);
}
