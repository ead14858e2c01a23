import type { AnswerRequest } from "@holdfast/protocol";
import { useEffect, useRef, useState } from "react";
import { AskProblem } from "../../ask/api.ts";
import { type Giving, useAnswer } from "../../ask/use-answer.ts";
import { useMay } from "../../ask/use-me.ts";
import { takeAnswerWanted } from "../../frame/keys.ts";
import { Problem } from "../../show/problem.tsx";
import { type Choice, choicesOf, type QuestionCard } from "../../words/questions.ts";
import { Confirm } from "./confirm.tsx";
import { EditForm } from "./edit-form.tsx";
import { RejectForm } from "./reject-form.tsx";
import { ResultForm } from "./result-form.tsx";

/** The buttons, each with what it will do; what needs more than a press opens below it. */
export function Answers({ card }: { readonly card: QuestionCard }) {
  const { giving, give } = useAnswer(card);
  const [opened, setOpened] = useState<string | null>(null);
  const may = useMay("operator");
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takeAnswerWanted()) place.current?.querySelector("button")?.focus();
  }, []);
  const isBusy = giving.kind === "giving" || giving.kind === "taken";
  const press = (choice: Choice) => {
    if (choice.isRisky || choice.takes !== "nothing") setOpened(choice.answer);
    else give(plainAnswer(card, choice.answer));
  };
  if (may === false) {
    return <p className="quiet">You may look at this; somebody who is operator answers it.</p>;
  }
  return (
    <div className="answers" ref={place}>
      {choicesOf(card).map((choice) => (
        <div key={choice.answer} className="choice">
          <button
            type="button"
            data-choice={choice.answer}
            className={choice.isMain ? "main" : undefined}
            disabled={may !== true || isBusy}
            aria-describedby={`does-${choice.answer}`}
            aria-expanded={opened === choice.answer}
            onClick={() => press(choice)}
          >
            {choice.says}
          </button>
          <span id={`does-${choice.answer}`} className="quiet">
            {card.does[choice.answer]}
          </span>
          {opened === choice.answer && (
            <More card={card} choice={choice} give={give} onClose={() => setOpened(null)} />
          )}
        </div>
      ))}
      <Progress giving={giving} give={give} />
    </div>
  );
}

export type MoreProps = {
  readonly card: QuestionCard;
  readonly give: (given: AnswerRequest) => void;
  readonly onClose: () => void;
};

function More({ choice, ...props }: MoreProps & { readonly choice: Choice }) {
  if (choice.takes === "reason") return <RejectForm {...props} />;
  if (choice.takes === "result") return <ResultForm {...props} />;
  if (choice.takes === "params") return <EditForm {...props} />;
  return <Confirm {...props} answer={choice.answer} />;
}

/** Who agrees to bytes names them, and how they were shown. */
function plainAnswer({ call, proposed }: QuestionCard, answer: string): AnswerRequest {
  if (answer === "accept_cached" && proposed !== null) {
    return { answer, payloadHash: proposed.payloadHash };
  }
  if (answer !== "approve" || call?.approval == null) return { answer };
  const { payloadHash, previewHash } = call.approval;
  return { answer, payloadHash, previewHash };
}

type ProgressProps = Pick<MoreProps, "give"> & { readonly giving: Giving };

function Progress({ giving, give }: ProgressProps) {
  if (giving.kind === "idle") return null;
  if (giving.kind === "giving") return <p role="status">Telling the workflow …</p>;
  if (giving.kind === "taken") {
    const isIn = giving.verdict.accepted === null;
    return <p role="status">{isIn ? "Taken in; the workflow comes to it soon." : "Done."}</p>;
  }
  const { error, given } = giving;
  const refusal = error instanceof AskProblem ? error.said.refusal : undefined;
  if (refusal === "attention_not_found") {
    return (
      <p role="status" className="problem">
        <strong>Somebody was quicker.</strong> Your answer changed nothing.
      </p>
    );
  }
  const isDoubted = refusal === "service_has_it" || refusal === "service_does_not_find_it";
  return (
    <div className="problem-place">
      <Problem error={error} {...(isDoubted ? {} : { retry: () => give(given) })} />
      {isDoubted && (
        <button type="button" onClick={() => give({ ...given, insist: true })}>
          I have looked myself, and am sure: count my answer ⚠
        </button>
      )}
    </div>
  );
}
