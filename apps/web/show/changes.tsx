import type { Difference } from "../words/values.ts";

/** What is another value than before, field by field. */
export function Changes({ changes }: { readonly changes: readonly Difference[] }) {
  return (
    <ul className="changes">
      {changes.map(({ name, from, to }) => (
        <li key={name}>
          {name === "" ? "all of it" : name}: <del>{from}</del> <ins>{to}</ins>
        </li>
      ))}
    </ul>
  );
}
