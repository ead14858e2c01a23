/** One thing that can be wrong with a script, for people, models and docs/authoring.md alike. */
export type CodeEntry = {
  readonly severity: "error" | "warning"; // a warning never holds a deployment back
  readonly meaning: string;
  readonly hint: string;
  readonly bad: string;
  readonly good: string;
};

export const error = (
  meaning: string,
  hint: string,
  snippets: { readonly bad: string; readonly good: string },
): CodeEntry => ({ severity: "error", meaning, hint, ...snippets });

export const warning = (
  meaning: string,
  hint: string,
  snippets: { readonly bad: string; readonly good: string },
): CodeEntry => ({ severity: "warning", meaning, hint, ...snippets });
