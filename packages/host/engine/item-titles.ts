import type { Instant, LogLine } from "@holdfast/core";

/** People tell the items of a run apart by their titles: the first two that are alike are noted. */
export class ItemTitles {
  readonly #itemOf = new Map<string, string>();
  readonly #notes: LogLine[] = [];

  /** Lines that the host adds to the log of the run. */
  get notes(): readonly LogLine[] {
    return this.#notes;
  }

  see(itemId: string, title: string, at: Instant): void {
    const other = this.#itemOf.get(title);
    if (other === undefined) this.#itemOf.set(title, itemId);
    if (other === undefined || other === itemId || this.#notes.length > 0) return;
    const text = `holdfast: the items ${other} and ${itemId} have the same title, ${title}`;
    this.#notes.push({ at, text });
  }
}
