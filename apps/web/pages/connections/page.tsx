import type { ConnectionsAnswer } from "@holdfast/protocol";
import { Link } from "@tanstack/react-router";
import { of } from "../../ask/api.ts";
import { useAsk } from "../../ask/asked.ts";
import { usePageTitle } from "../../frame/page-title.ts";
import { Answered } from "../../show/answered.tsx";
import { CopyCommand } from "../../show/copy-command.tsx";
import { Empty } from "../../show/empty.tsx";
import { Fold } from "../../show/fold.tsx";
import { Mark } from "../../show/mark.tsx";
import { useWorkflows } from "../../show/use-workflows.ts";
import { type Said, sayGuarantee } from "../../words/states.ts";
import { countText } from "../../words/values.ts";

type Connection = ConnectionsAnswer["items"][number];

/** What the workflows are connected with, and what can be relied on there. No secret is here. */
export function ConnectionsPage() {
  usePageTitle("Connections");
  const query = useWorkflows();
  return (
    <>
      <h1>Connections</h1>
      <Answered query={query} what="the workflows">
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="Nothing is connected yet.">
              <p>
                A script names the accounts it uses; the host has them in its file of accounts, with
                secrets sealed.
              </p>
            </Empty>
          ) : (
            items.map(({ workflow }) => <OfWorkflow key={workflow} workflow={workflow} />)
          )
        }
      </Answered>
    </>
  );
}

function OfWorkflow({ workflow }: { readonly workflow: string }) {
  const query = useAsk<ConnectionsAnswer>(of(workflow, "connections"));
  return (
    <section className="panel">
      <div className="head">
        <h2>
          <Link to="/page/workflows/$workflow" params={{ workflow }}>
            {workflow}
          </Link>
        </h2>
        <CopyCommand words={["connect", "ls", workflow]} />
      </div>
      <Answered query={query} what={`the connections of ${workflow}`}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="panel-body quiet">It uses nothing outside.</p>
          ) : (
            items.map((each) => <ConnectionPanel key={each.connection} connection={each} />)
          )
        }
      </Answered>
    </section>
  );
}

const states: Readonly<Record<Connection["state"], Said>> = {
  ready: { text: "ready", tone: "done" },
  missing: { text: "this host has no such account", tone: "stopped" },
  refused: { text: "the sign-in was refused", tone: "you" },
};

function ConnectionPanel({ connection: each }: { readonly connection: Connection }) {
  const { connection, connector, account, state, affected, operations } = each;
  const changing = operations.filter(({ kind }) => !kind.startsWith("read"));
  return (
    <div className="panel-body connection">
      <p className="head">
        <span>
          <strong>{connection}</strong>{" "}
          <span className="quiet">
            {connector}
            {account !== null && `, account ${account}`}
          </span>
        </span>
        <Mark said={states[state]} />
      </p>
      {affected.length > 0 && (
        <p>
          {countText(affected.length, "run waits", "runs wait")} for it. When it is mended, go on
          with the question that it asks.
        </p>
      )}
      <Fold title={`What it can do: ${countText(operations.length, "operation")}`}>
        {() => (
          <dl className="facts">
            {changing.map(({ operation, labels }) => (
              <div key={operation}>
                <dt>{operation}</dt>
                <dd>
                  {labels.map(({ of: calls, label }) => (
                    <p key={`${calls} ${label}`} title={sayGuarantee(label)}>
                      {label}
                      {calls !== null && <span className="quiet"> for {calls}</span>}
                    </p>
                  ))}
                </dd>
              </div>
            ))}
            <div>
              <dt>only looks</dt>
              <dd>
                {operations
                  .filter(({ kind }) => kind.startsWith("read"))
                  .map(({ operation }) => operation)
                  .join(", ") || "–"}
              </dd>
            </div>
          </dl>
        )}
      </Fold>
    </div>
  );
}
