import type { FactsAnswer } from "@holdfast/protocol";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Empty } from "../../show/empty.tsx";
import { Fold } from "../../show/fold.tsx";
import { ItemLink } from "../../show/item-link.tsx";
import { ListPage } from "../../show/list-page.tsx";
import { signOf } from "../../show/mark.tsx";
import { Moment } from "../../show/moment.tsx";
import { RunLink } from "../../show/run-link.tsx";
import { ValueTable } from "../../show/value-table.tsx";
import { factGroups, sayFact } from "../../words/facts.ts";
import type { Json } from "../../words/values.ts";

type Fact = FactsAnswer["items"][number];

const from = "/page/workflows/$workflow/journal";

/** For the curious: whatever is recorded, the newest first, in words and as it is kept. */
export function JournalPage() {
  const { workflow } = useParams({ from });
  const navigate = useNavigate({ from });
  return (
    <ListPage<Fact>
      workflow={workflow}
      list="facts"
      command={["journal", "ls"]}
      search={useSearch({ from })}
      onSearch={(search) => void navigate({ search, replace: true })}
      name="Kind"
      narrows="kind"
      values={factGroups}
      what="the journal"
      idOf={factIdOf}
      row={(fact) => <FactRow workflow={workflow} fact={fact} />}
      empty={<Empty title="Nothing like that is recorded." />}
    />
  );
}

function factIdOf({ seq }: Fact): string {
  return String(seq);
}

function FactRow({ workflow, fact }: { readonly workflow: string; readonly fact: Fact }) {
  const { seq, at, kind, fact: told } = fact;
  const { text, tone } = sayFact(kind, told);
  return (
    <div className="fact-row">
      <p>
        <span className={`sign tone-${tone}`} aria-hidden="true">
          {signOf(tone)}
        </span>{" "}
        {text}
      </p>
      <p className="quiet">
        {seq} · <Moment at={at} /> <Links workflow={workflow} told={told} />
      </p>
      <Fold title={kind}>{() => <ValueTable value={told as Json} />}</Fold>
    </div>
  );
}

/** To whatever of the page the fact is about. */
function Links({ workflow, told }: { readonly workflow: string; readonly told: Fact["fact"] }) {
  const { runId, mutationId, itemId, attentionId } = told;
  return (
    <>
      {typeof runId === "string" && <RunLink workflow={workflow} runId={runId} />}{" "}
      {typeof itemId === "string" && <ItemLink workflow={workflow} itemId={itemId} />}{" "}
      {typeof mutationId === "string" && (
        <Link
          to="/page/workflows/$workflow/outputs/$output"
          params={{ workflow, output: mutationId }}
        >
          {mutationId}
        </Link>
      )}{" "}
      {typeof attentionId === "string" && (
        <Link to="/page/needs-you/$workflow/$question" params={{ workflow, question: attentionId }}>
          {attentionId}
        </Link>
      )}
    </>
  );
}
