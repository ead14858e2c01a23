import type { CellAnswer } from "@holdfast/protocol";
import { Moment } from "../../show/moment.tsx";
import { ValueTree } from "../../show/value-tree.tsx";
import { countText, type Json } from "../../words/values.ts";

/** What came in and was not looked at yet, in order. */
export function Mailbox({ cell }: { readonly cell: CellAnswer }) {
  const { mailbox, waiting, failed } = cell;
  if (waiting === 0) return null;
  const more = waiting - mailbox.length;
  return (
    <section className="panel">
      <h2>
        {failed === "step" ? "What it stopped at" : "What it has to look at"}{" "}
        <span className="quiet">{countText(waiting, "thing waits", "things wait")}</span>
      </h2>
      <ol className="mail">
        {mailbox.map(({ value, at, seq, intentId }, index) => (
          <li key={`${seq} ${intentId}`}>
            <p className="quiet">
              {intentId === null ? "came in" : "an answer"} <Moment at={at} />
              {failed === "step" && index === 0 && (
                <strong className="tone-stopped"> it stopped at this</strong>
              )}
            </p>
            <ValueTree value={value as Json} />
          </li>
        ))}
      </ol>
      {more > 0 && <p className="quiet panel-body">and {more.toLocaleString()} more behind it</p>}
    </section>
  );
}
