import { Link } from "@tanstack/react-router";
import { causeOf, headingOf, lineOf, type Question } from "../words/questions.ts";
import { Mark } from "./mark.tsx";
import { Moment } from "./moment.tsx";

/** One question in a list: what kind, about what, whose, since when. */
export function QuestionRow({ question }: { readonly question: Question }) {
  const { mark, text, tone } = headingOf(question);
  const { workflow, attentionId, openedAt } = question;
  const cause = causeOf(question);
  return (
    <Link
      to="/page/needs-you/$workflow/$question"
      params={{ workflow, question: attentionId }}
      className="row question-row"
      data-row="question"
    >
      <Mark said={{ text, tone }} sign={mark} />
      <span className="row-line">
        {cause !== null && <strong>{cause}</strong>}{" "}
        <span className={cause === null ? undefined : "quiet"}>{lineOf(question)}</span>
      </span>
      <span className="row-end quiet">
        {workflow} · <Moment at={openedAt} />
      </span>
    </Link>
  );
}
