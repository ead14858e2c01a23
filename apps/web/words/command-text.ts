/** As it can be pasted into a shell. */
export function commandText(...words: readonly string[]): string {
  return ["npx", "holdfast", ...words].map(quoted).join(" ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
