/** What an author wrote: texts by path, and the path of the one that exports the workflow. */
export type ScriptSource = {
  readonly entry: string;
  readonly files: Readonly<Record<string, string>>;
};
