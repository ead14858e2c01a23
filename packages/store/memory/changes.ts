import type { Changes } from "@holdfast/core";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import type { Workflows } from "./lease.ts";

/** In which order the heads moved: every move has the next place. */
export class ChangeOrder {
  readonly #movedAt = new Map<string, number>();
  #last = 0;

  note(workflow: string): void {
    this.#last += 1;
    this.#movedAt.set(workflow, this.#last);
  }

  read(workflows: Workflows, after: string | null, storeIncarnation: string): Changes {
    const last = this.#last;
    const cursor = encodeCursor({ place: last, storeIncarnation });
    if (after === null) return { changed: [], cursor };
    const place = decodeCursor(after, { storeIncarnation, last });
    const changed = [...workflows.values()]
      .filter(({ workflow }) => (this.#movedAt.get(workflow) ?? 0) > place)
      .map(({ workflow, head }) => ({ workflow, head: head.seq }));
    return { changed, cursor };
  }
}
