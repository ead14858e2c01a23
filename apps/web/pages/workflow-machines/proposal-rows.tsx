import type { ProposalsAnswer } from "@holdfast/protocol";
import { Link } from "@tanstack/react-router";
import { of } from "../../ask/api.ts";
import { useAsk } from "../../ask/asked.ts";
import { Moment } from "../../show/moment.tsx";
import { RowParts } from "../../show/row-parts.tsx";
import { type Proposal, sayChange, sayProposal } from "../../words/proposals.ts";

const isOver = ({ status }: Proposal) => status === "applied" || status === "rejected";

/** Versions that wait to be tried, decided or applied; of the others the last. */
export function ProposalRows({ workflow }: { readonly workflow: string }) {
  const { data } = useAsk<ProposalsAnswer>(of(workflow, "machines", "proposals"));
  const items = data?.items ?? [];
  const shown = [...items.filter((each) => !isOver(each)), ...items.filter(isOver).slice(0, 1)];
  if (shown.length === 0) return null;
  const needs = shown.some((each) => sayProposal(each).tone === "you");
  return (
    <section className={needs ? "panel needs-panel" : "panel"}>
      <h2>Versions that were proposed</h2>
      {shown.map((each) => (
        <Link
          key={each.number}
          to="/page/workflows/$workflow/proposals/$number"
          params={{ workflow, number: String(each.number) }}
          className="row"
          data-row="proposal"
        >
          <RowParts
            said={sayProposal(each)}
            end={
              <>
                {each.author} · <Moment at={each.proposedAt} />
              </>
            }
          >
            <strong>Version {each.version}</strong>
            <span className="quiet">
              {each.description ?? each.changes.map(sayChange).join(", ")}
            </span>
          </RowParts>
        </Link>
      ))}
    </section>
  );
}
