import type { GrantsAnswer, PolicyValue } from "@holdfast/protocol";
import { useParams } from "@tanstack/react-router";
import { of } from "../../ask/api.ts";
import { useAsk } from "../../ask/asked.ts";
import { Answered } from "../../show/answered.tsx";
import { CopyCommand } from "../../show/copy-command.tsx";
import { Empty } from "../../show/empty.tsx";
import { Limits } from "../../show/limits.tsx";
import { Moment } from "../../show/moment.tsx";

/** What it may do outside, and the limits it works under, each with where it comes from. */
export function RulesPage() {
  const { workflow } = useParams({ from: "/page/workflows/$workflow/rules" });
  const grants = useAsk<GrantsAnswer>(of(workflow, "grants"));
  const policy = useAsk<{ items: readonly PolicyValue[] }>(of(workflow, "policy"));
  return (
    <>
      <section>
        <div className="head">
          <h2>What it may do outside</h2>
          <CopyCommand words={["grants", "show", workflow]} />
        </div>
        <Answered query={grants} what="what it may do">
          {(found) => <Grants {...found} />}
        </Answered>
      </section>
      <section>
        <div className="head">
          <h2>Limits and timings</h2>
          <CopyCommand words={["policies", workflow]} />
        </div>
        <Answered query={policy} what="its limits">
          {({ items }) => <Limits items={items} />}
        </Answered>
      </section>
    </>
  );
}

function Grants({ number, setBy, setAt, said, about, missing }: GrantsAnswer) {
  if (number === 0) {
    return (
      <Empty title="Nothing is allowed beforehand.">
        <p>Every call it makes waits for you.</p>
      </Empty>
    );
  }
  return (
    <div className="panel">
      <p className="panel-body quiet">
        List {number}, set by {setBy} <Moment at={setAt} />. What is not in it is not done.
      </p>
      {said.map((line, index) => (
        <div key={line} className="row single">
          <p>{line}</p>
          <Reach about={about[index] ?? null} />
        </div>
      ))}
      {missing.map((operation) => (
        <p key={operation} className="row single tone-you">
          {operation} is used by the script, and nothing allows it: such a call waits for you.
        </p>
      ))}
    </div>
  );
}

/** How risky it is, and how far the grant narrows it: worked out by the host from the grant. */
function Reach({ about }: { readonly about: GrantsAnswer["about"][number] }) {
  if (about === null) return null;
  const { capability, risk, limited, open, unenforceable } = about;
  const parts = [
    `${capability}, ${risk} risk`,
    ...(limited.length === 0 ? [] : [`limited: ${limited.join(", ")}`]),
    ...(open.length === 0 ? [] : [`not limited: ${open.join(", ")}`]),
    ...(unenforceable.length === 0 ? [] : [`no grant can limit: ${unenforceable.join(", ")}`]),
  ];
  return <p className="quiet">{parts.join("; ")}</p>;
}
