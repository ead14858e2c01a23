import type { Connection } from "./connection.ts";
import { type Control, loadControl } from "./load.ts";

/** Beyond it all are read again: a host has work for few of its workflows at a time. */
const knownMax = 10_000;

/**
 * Heads and epochs as the last COMMIT left them. Only the process that has the folder to itself may
 * keep them: nobody else can move one. What a group moves is known once the group is kept, and
 * never when it was rolled back; whoever writes these columns in another way forgets them all.
 */
export class KnownHeads {
  readonly #known = new Map<string, Control>();
  #moved = new Map<string, Control>();

  /** Outside of any group: what is read there is what was committed. */
  find(workflow: string, connection: Connection, isAlone: boolean): Control {
    const known = this.#known.get(workflow);
    if (known !== undefined) return known;
    const found = loadControl(connection, workflow);
    if (isAlone) this.#keep(workflow, found);
    return found;
  }

  #keep(workflow: string, control: Control): void {
    if (this.#known.size >= knownMax) this.#known.clear();
    this.#known.set(workflow, control);
  }

  /** Also when it is begun once more. */
  groupBegins(): void {
    this.#moved = new Map();
  }

  moved(workflow: string, control: Control): void {
    this.#moved.set(workflow, control);
  }

  /** What the same group has moved before may have another epoch now. */
  forgetAll(): void {
    this.#known.clear();
    this.#moved.clear();
  }

  groupKept(): void {
    for (const [workflow, control] of this.#moved) this.#keep(workflow, control);
    this.#moved.clear();
  }
}
