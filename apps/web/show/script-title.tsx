/** The script's own words: quoted, and marked as such; what was really done stands beside it. */
export function ScriptTitle({ title }: { readonly title: string }) {
  return (
    <p className="script-title">
      the script calls this <q>{title}</q>
    </p>
  );
}
