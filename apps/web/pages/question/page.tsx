import { Link, useParams } from "@tanstack/react-router";
import { useAsk } from "../../ask/asked.ts";
import { pathOf } from "../../ask/use-answer.ts";
import { usePageTitle } from "../../frame/page-title.ts";
import { useNeeds } from "../../frame/use-needs.ts";
import { Answered } from "../../show/answered.tsx";
import { QuestionRow } from "../../show/question-row.tsx";
import { headingOf, type QuestionCard } from "../../words/questions.ts";
import { Card } from "./card.tsx";

/** One question, with everything it takes to answer it. */
export function QuestionPage() {
  const { workflow, question } = useParams({ from: "/page/needs-you/$workflow/$question" });
  const asked = { workflow, attentionId: question };
  const query = useAsk<QuestionCard>(pathOf(asked));
  usePageTitle(query.data === undefined ? "" : headingOf(query.data).text);
  return (
    <>
      <p className="way">
        <Link to="/page/needs-you">Needs you</Link> ›{" "}
        <Link to="/page/workflows/$workflow" params={{ workflow }}>
          {workflow}
        </Link>
      </p>
      <Answered query={query} what="the question">
        {(card) => <Card key={`${workflow} ${question}`} card={card} />}
      </Answered>
      <Others {...asked} />
    </>
  );
}

const othersShown = 3;

function Others({
  workflow,
  attentionId,
}: {
  readonly workflow: string;
  readonly attentionId: string;
}) {
  const items = (useNeeds().data?.items ?? []).filter(
    (each) => each.workflow !== workflow || each.attentionId !== attentionId,
  );
  if (items.length === 0) return null;
  return (
    <section className="panel others">
      <h2>Also needs you</h2>
      {items.slice(0, othersShown).map((each) => (
        <QuestionRow key={`${each.workflow} ${each.attentionId}`} question={each} />
      ))}
    </section>
  );
}
