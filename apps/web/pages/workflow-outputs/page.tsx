import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Empty } from "../../show/empty.tsx";
import { ListPage } from "../../show/list-page.tsx";
import { Moment } from "../../show/moment.tsx";
import { RowParts } from "../../show/row-parts.tsx";
import { sayCall, sayCallState } from "../../words/states.ts";
import type { Call } from "../../words/why.ts";

const from = "/page/workflows/$workflow/outputs";
const states = [
  "applied",
  "awaiting_approval",
  "in_flight",
  "needs_reconcile",
  "indeterminate",
  "failed",
].map((each) => [each, sayCallState(each).text] as const);

/** Whatever was sent outside, how sure we are of it, and since when. */
export function OutputsPage() {
  const { workflow } = useParams({ from });
  const navigate = useNavigate({ from });
  return (
    <ListPage<Call>
      workflow={workflow}
      list="mutations"
      command={["mutations", "ls"]}
      search={useSearch({ from })}
      onSearch={(search) => void navigate({ search, replace: true })}
      values={states}
      what="what was done"
      idOf={callIdOf}
      row={(call) => <CallRow workflow={workflow} call={call} />}
      empty={
        <Empty title="Nothing like that was sent outside.">
          <p>
            Whatever the script changes outside is listed here from the moment it is written down,
            with what became of it and how we know.
          </p>
        </Empty>
      }
    />
  );
}

function callIdOf({ mutationId }: Call): string {
  return mutationId;
}

function CallRow({ workflow, call }: { readonly workflow: string; readonly call: Call }) {
  const { mutationId, operation, target, title, guarantee } = call;
  return (
    <Link
      to="/page/workflows/$workflow/outputs/$output"
      params={{ workflow, output: mutationId }}
      className="row"
      data-row="output"
    >
      <RowParts
        said={sayCall(call)}
        end={
          <>
            {guarantee} · <Moment at={call.settledAt ?? call.recordedAt} />
          </>
        }
      >
        {call.preview ?? `${operation} at ${target}`}{" "}
        {title !== null && <q className="quiet">{title}</q>}
      </RowParts>
    </Link>
  );
}
