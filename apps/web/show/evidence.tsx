import { sayEvidence } from "../words/states.ts";
import { countText } from "../words/values.ts";
import type { Call } from "../words/why.ts";
import { Clock, Moment } from "./moment.tsx";

/** What is known of a call, in the order it became known. */
export function Evidence({ call }: { readonly call: Call }) {
  const { firstSentAt, sendCount, evidence, nextAttemptAt, state } = call;
  return (
    <ol className="known">
      {firstSentAt !== null && (
        <li>
          <Clock at={firstSentAt} /> sent
          {sendCount > 1 && `, ${countText(sendCount, "time")} by now`}
        </li>
      )}
      {grouped(evidence).map(({ kind, says, note, at, times, lastAt }) => (
        <li key={`${kind} ${at} ${note}`}>
          <Clock at={at} /> {sayEvidence(kind, says)}
          {note !== "" && <span className="quiet"> ({note})</span>}
          {times > 1 && (
            <span className="quiet">
              {" "}
              {times} times, last <Moment at={lastAt} />
            </span>
          )}
        </li>
      ))}
      {nextAttemptAt !== null && state === "needs_reconcile" && (
        <li>
          The service is asked again <Moment at={nextAttemptAt} />.
        </li>
      )}
    </ol>
  );
}

type Known = Call["evidence"][number];
type Grouped = Known & { readonly times: number; readonly lastAt: number };

/** The same, said many times in a row, is one line. */
function grouped(evidence: readonly Known[]): readonly Grouped[] {
  const groups: Grouped[] = [];
  for (const each of evidence) {
    const last = groups.at(-1);
    const isSame = last?.kind === each.kind && last.says === each.says && last.note === each.note;
    if (last !== undefined && isSame) {
      groups.splice(-1, 1, { ...last, times: last.times + 1, lastAt: each.at });
    } else groups.push({ ...each, times: 1, lastAt: each.at });
  }
  return groups;
}
