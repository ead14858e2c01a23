import { Link } from "@tanstack/react-router";
import type { InputName } from "../words/why.ts";

type Props = { readonly workflow: string; readonly inputs: readonly InputName[] };

const shownMax = 5;

/** What came in, by the titles people know. */
export function InputLinks({ workflow, inputs }: Props) {
  const more = inputs.length - shownMax;
  return (
    <span className="inputs">
      {inputs.slice(0, shownMax).map(({ inputId, title }) => (
        <Link
          key={inputId}
          to="/page/workflows/$workflow/inputs/$input"
          params={{ workflow, input: inputId }}
        >
          {title}
        </Link>
      ))}
      {more > 0 && <span className="quiet">and {more} more</span>}
    </span>
  );
}
