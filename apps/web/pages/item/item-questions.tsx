import type { QuestionsAnswer } from "@holdfast/protocol";
import { of } from "../../ask/api.ts";
import { useAsk } from "../../ask/asked.ts";
import { QuestionRow } from "../../show/question-row.tsx";

type Props = { readonly workflow: string; readonly itemId: string };

/** What people are asked about the item: a call of it, or one that would be another now. */
export function ItemQuestions({ workflow, itemId }: Props) {
  const { data } = useAsk<QuestionsAnswer>(of(workflow, "attention"), { status: "open" });
  const own = data?.items.filter(({ item }) => item?.itemId === itemId) ?? [];
  if (own.length === 0) return null;
  return (
    <section className="panel needs-panel">
      <h2>Needs you</h2>
      {own.map((each) => (
        <QuestionRow key={each.attentionId} question={each} />
      ))}
    </section>
  );
}
