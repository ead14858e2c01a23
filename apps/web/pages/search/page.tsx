import type { CallsAnswer, CellsAnswer } from "@holdfast/protocol";
import { Link, useSearch } from "@tanstack/react-router";
import { Fragment } from "react";
import { of } from "../../ask/api.ts";
import { useAsk } from "../../ask/asked.ts";
import { usePageTitle } from "../../frame/page-title.ts";
import { useNeeds } from "../../frame/use-needs.ts";
import { Answered } from "../../show/answered.tsx";
import { CellRow } from "../../show/cell-row.tsx";
import { Empty } from "../../show/empty.tsx";
import { finds } from "../../show/find-field.tsx";
import { Mark } from "../../show/mark.tsx";
import { QuestionRow } from "../../show/question-row.tsx";
import { useWorkflows } from "../../show/use-workflows.ts";
import { lineOf } from "../../words/questions.ts";
import { sayCall, sayInput } from "../../words/states.ts";
import type { Call, Input, Why } from "../../words/why.ts";

/** Titles and ids, over everything. */
export function SearchPage() {
  const { q = "" } = useSearch({ from: "/page/search" });
  usePageTitle(q === "" ? "Search" : `“${q}”`);
  const workflows = useWorkflows();
  if (q === "") {
    return (
      <Empty title="What are you looking for?">
        <p>A part of a title, the name of a workflow, or an id such as an order number.</p>
      </Empty>
    );
  }
  return (
    <>
      <h1>Search for “{q}”</h1>
      <Questions text={q} />
      <Answered query={workflows} what="the workflows">
        {({ items }) => (
          <section className="panel">
            <h2>In the workflows</h2>
            {items.map(({ workflow, machines }) => (
              <Fragment key={workflow}>
                <InWorkflow workflow={workflow} text={q} />
                {machines.length > 0 && <Cells workflow={workflow} text={q} />}
              </Fragment>
            ))}
          </section>
        )}
      </Answered>
    </>
  );
}

function Questions({ text }: { readonly text: string }) {
  const items = (useNeeds().data?.items ?? []).filter((each) =>
    finds(text, lineOf(each), each.attentionId, ...each.inputs.map(({ title }) => title)),
  );
  if (items.length === 0) return null;
  return (
    <section className="panel needs-panel">
      <h2>Needs you</h2>
      {items.map((each) => (
        <QuestionRow key={`${each.workflow} ${each.attentionId}`} question={each} />
      ))}
    </section>
  );
}

const foundMax = 50;

type Props = { readonly workflow: string; readonly text: string };

function InWorkflow({ workflow, text }: Props) {
  const query = { text, limit: foundMax };
  const inputs = useAsk<{ items: readonly Input[] }>(of(workflow, "inputs"), query);
  const calls = useAsk<CallsAnswer>(of(workflow, "mutations"), query).data?.items ?? [];
  const exact = useAsk<Why>(of(workflow, "why", text));
  const found = inputs.data?.items ?? [];
  return (
    <>
      {finds(text, workflow) && (
        <Link
          to="/page/workflows/$workflow"
          params={{ workflow }}
          className="row"
          data-row="workflow"
        >
          <span className="quiet">workflow</span>
          <span className="row-line">{workflow}</span>
        </Link>
      )}
      {exact.data?.run && (
        <Link
          to="/page/workflows/$workflow/runs/$run"
          params={{ workflow, run: exact.data.run.runId }}
          className="row"
          data-row="run"
        >
          <span className="quiet">run</span>
          <span className="row-line">{exact.data.text}</span>
          <span className="row-end quiet">{workflow}</span>
        </Link>
      )}
      {found.map(({ inputId, title, status }) => (
        <Link
          key={inputId}
          to="/page/workflows/$workflow/inputs/$input"
          params={{ workflow, input: inputId }}
          className="row"
          data-row="input"
        >
          <Mark said={sayInput(status)} />
          <span className="row-line">{title}</span>
          <span className="row-end quiet">{workflow}</span>
        </Link>
      ))}
      {calls.map((call) => (
        <CallRow key={call.mutationId} workflow={workflow} call={call} />
      ))}
    </>
  );
}

/** What its machines keep track of, by the key. */
function Cells({ workflow, text }: Props) {
  const query = { text, limit: foundMax };
  const { data } = useAsk<CellsAnswer>(of(workflow, "machines", "cells"), query);
  return data?.items.map((cell) => <CellRow key={cell.cell} workflow={workflow} cell={cell} />);
}

function CallRow({ workflow, call }: { readonly workflow: string; readonly call: Call }) {
  const { mutationId, operation, target, title, preview } = call;
  return (
    <Link
      to="/page/workflows/$workflow/outputs/$output"
      params={{ workflow, output: mutationId }}
      className="row"
      data-row="output"
    >
      <Mark said={sayCall(call)} />
      <span className="row-line">
        {preview ?? `${operation} at ${target}`}{" "}
        {title !== null && <q className="quiet">{title}</q>}
      </span>
      <span className="row-end quiet">{workflow}</span>
    </Link>
  );
}
