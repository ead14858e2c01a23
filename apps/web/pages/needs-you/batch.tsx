import { useState } from "react";
import { giveAnswer } from "../../ask/use-answer.ts";
import { useMay } from "../../ask/use-me.ts";
import { Problem } from "../../show/problem.tsx";
import { LongText } from "../../show/value-table.tsx";
import type { Question } from "../../words/questions.ts";
import { valueText } from "../../words/values.ts";
import { type BatchOf, textOf } from "./batches-of.ts";

/** Many calls of one form: all of them shown, then answered at once, each by its own bytes. */
export function Batch({ batch }: { readonly batch: BatchOf }) {
  const { questions, operation, target, same } = batch;
  const [isOpen, setOpen] = useState(false);
  return (
    <section className="panel batch">
      <div className="head">
        <span>
          <strong>{questions.length} calls of the same form</strong>{" "}
          <span className="quiet">
            {operation} at {target}
          </span>
        </span>
        <button type="button" onClick={() => setOpen(!isOpen)} aria-expanded={isOpen}>
          {isOpen ? "Fold" : "Look at all of them"}
        </button>
      </div>
      {isOpen && (
        <>
          <p className="quiet">
            The same in all:{" "}
            {same.map(({ name, value }) => `${name} ${valueText(value)}`).join(" · ") || "nothing"}
          </p>
          <Calls batch={batch} />
          <SendAll questions={questions} />
        </>
      )}
    </section>
  );
}

function Calls({ batch: { questions, different } }: { readonly batch: BatchOf }) {
  return (
    <div className="table-place">
      <table className="table folds">
        <thead>
          <tr>
            <th scope="col">Workflow</th>
            <th scope="col">Because of</th>
            {different.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {questions.map((each) => (
            <tr key={`${each.workflow} ${each.attentionId}`}>
              <td>{each.workflow}</td>
              <td>{each.inputs.map(({ title }) => title).join(", ") || "–"}</td>
              {different.map((name) => (
                <td key={name}>
                  <LongText text={textOf(each, name)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type Sent = { readonly count: number; readonly troubles: readonly unknown[] };

function SendAll({ questions }: { readonly questions: readonly Question[] }) {
  const may = useMay("operator");
  const [sent, setSent] = useState<Sent | "sending" | null>(null);
  const send = async () => {
    setSent("sending");
    const told = await Promise.allSettled(questions.map(approve));
    const troubles = told.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    setSent({ count: told.length - troubles.length, troubles });
  };
  if (may === false) return null;
  return (
    <div className="buttons">
      <button
        type="button"
        className="main"
        disabled={may !== true || sent === "sending"}
        onClick={() => void send()}
      >
        Send all {questions.length} as shown
      </button>
      {sent === "sending" && <span role="status">Telling the workflow …</span>}
      {sent !== null && sent !== "sending" && <span role="status">{sent.count} agreed to.</span>}
      {sent !== null && sent !== "sending" && sent.troubles[0] !== undefined && (
        <Problem error={sent.troubles[0]} />
      )}
    </div>
  );
}

async function approve(question: Question): Promise<void> {
  const { payloadHash = "", previewHash = "" } = question.call?.approval ?? {};
  await giveAnswer(question, { answer: "approve", payloadHash, previewHash });
}
