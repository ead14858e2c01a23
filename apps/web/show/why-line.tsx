import { Link } from "@tanstack/react-router";
import { sayCause } from "../words/cause-words.ts";
import type { Why } from "../words/why.ts";
import { Fold } from "./fold.tsx";
import { Moment } from "./moment.tsx";

/** Why it is waiting: what for in the end, in one sentence, and the whole chain in a fold. */
export function WhyLine({ workflow, why }: { readonly workflow: string; readonly why: Why }) {
  const last = why.because.at(-1);
  if (why.state === "done" || last === undefined) return null;
  const { cause, text } = last;
  return (
    <div className="why">
      <p>
        <span className="quiet">{why.state === "moving" ? "Now: " : "Why it is waiting: "}</span>
        {sayCause(cause) ?? text}
        {typeof cause.until === "number" && cause.attentionId === undefined && (
          <span className="quiet">
            {" "}
            (<Moment at={cause.until} />)
          </span>
        )}{" "}
        {cause.attentionId !== undefined && (
          <Link
            to="/page/needs-you/$workflow/$question"
            params={{ workflow, question: cause.attentionId }}
          >
            Answer
          </Link>
        )}
      </p>
      <Fold title="The whole chain">
        {() => (
          <ol>
            {why.because.map((each, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a chain has an order and nothing else
              <li key={index}>{each.text}</li>
            ))}
          </ol>
        )}
      </Fold>
    </div>
  );
}
