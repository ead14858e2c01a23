/**
 * What the child tells the parent over a pipe, one line of JSON each, written synchronously: what
 * was said before a death was said. A change is announced before the store is asked for it, so that
 * the parent knows every head a journal may have, and once more when the store has acknowledged it.
 */
export type HeadLine = {
  readonly kind: "asked" | "committed";
  readonly workflow: string;
  readonly seq: number;
  readonly hash: string;
};

export type CommandLine = {
  readonly kind: "appending" | "appended";
  readonly workflow: string;
  readonly commandId: string;
};

export type WitnessLine =
  | HeadLine
  | CommandLine
  /** The last words of a child that ends itself. */
  | { readonly kind: "killed"; readonly call: number; readonly boundary: string }
  /** It came to its end; the boundaries are those it passed, in order. */
  | { readonly kind: "finished"; readonly boundaries: readonly string[] };

/** The pipe's descriptor in the child. */
export const witnessDescriptor = 3;
