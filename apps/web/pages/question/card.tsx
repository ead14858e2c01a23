import { Link } from "@tanstack/react-router";
import { useMay } from "../../ask/use-me.ts";
import { CopyCommand } from "../../show/copy-command.tsx";
import { Evidence } from "../../show/evidence.tsx";
import { Fact } from "../../show/fact.tsx";
import { Fold } from "../../show/fold.tsx";
import { InputLinks } from "../../show/input-links.tsx";
import { ItemLink } from "../../show/item-link.tsx";
import { Mark } from "../../show/mark.tsx";
import { Moment } from "../../show/moment.tsx";
import { RunLink } from "../../show/run-link.tsx";
import { ValueTree } from "../../show/value-tree.tsx";
import {
  askOf,
  headingOf,
  isOfMachine,
  type QuestionCard,
  sayAnswer,
} from "../../words/questions.ts";
import { countText, type Json } from "../../words/values.ts";
import { Answers } from "./answers.tsx";
import { CallDetails, CallPanel } from "./call-panel.tsx";
import { HeldFact, Release } from "./held-by.tsx";
import { RuleForm } from "./rule-form.tsx";

/** One question per card, one decision per button. */
export function Card({ card }: { readonly card: QuestionCard }) {
  const { mark, text, tone } = headingOf(card);
  const { workflow, attentionId, call, run, item, inputs, why, check, verifiable } = card;
  return (
    <article className={`card tone-edge-${tone}`} aria-labelledby="ask">
      <div className="head">
        <Mark said={{ text, tone }} sign={mark} />
        <span className="quiet">
          {workflow} · <Moment at={card.openedAt} />
        </span>
      </div>
      <h1 id="ask">{askOf(card)}</h1>
      {call !== null && <CallPanel call={call} card={card} />}
      <dl className="facts">
        {call === null && card.cell === null && <Fact name="What happened">{card.note}</Fact>}
        {card.cell !== null && <StoppedOn cell={card.cell} />}
        {inputs.length > 0 && (
          <Fact name="Because of">
            <InputLinks workflow={workflow} inputs={inputs} />
          </Fact>
        )}
        {item !== null && (
          <AskedFor workflow={workflow} item={item} isOfMachine={isOfMachine(card)} />
        )}
        <Fact name="Why you are asked">{why}</Fact>
        {call !== null && call.sendCount > 0 && (
          <Fact name="What we know">
            <Evidence call={call} />
          </Fact>
        )}
        {check !== null && <Fact name="What you can check">{check}</Fact>}
        {verifiable !== null && card.kind !== "approval" && card.heldBy === null && (
          <Fact name="Who can tell">{verifiable}</Fact>
        )}
        {card.heldBy !== null && <HeldFact heldBy={card.heldBy} />}
        <Waiting card={card} />
      </dl>
      {card.heldBy !== null && <Release workflow={workflow} heldBy={card.heldBy} />}
      {card.closedAt === null ? <Answers card={card} /> : <Closed card={card} />}
      {card.kind === "approval" && <AskLess card={card} />}
      <Fold title="Details">
        {() => (
          <dl className="facts">
            <Fact name="Question">{`${workflow} ${attentionId}, ${card.kind}`}</Fact>
            <Fact name="Note">{card.note}</Fact>
            {run !== null && (
              <Fact name="Run">
                <RunLink workflow={workflow} runId={run.runId} /> of {run.handler}, version{" "}
                {run.version}
              </Fact>
            )}
            {call !== null && <CallDetails call={call} />}
          </dl>
        )}
      </Fold>
      <CopyCommand words={["attention", "show", workflow, attentionId]} />
    </article>
  );
}

type AskedForProps = {
  readonly workflow: string;
  readonly item: NonNullable<QuestionCard["item"]>;
  readonly isOfMachine: boolean;
};

/** What a machine asked for leads to all that it came of. */
function AskedFor({ workflow, item: { itemId, title }, isOfMachine }: AskedForProps) {
  if (!isOfMachine) {
    return (
      <Fact name="Item">
        <ItemLink workflow={workflow} itemId={itemId} /> <q>{title}</q>
      </Fact>
    );
  }
  return (
    <Fact name="Asked by">
      <Link to="/page/workflows/$workflow/trace" params={{ workflow }} search={{ intent: itemId }}>
        {title}
      </Link>
    </Fact>
  );
}

/** What a cell stopped on, as it was given, and how much waits in its mailbox. */
function StoppedOn({ cell }: { readonly cell: NonNullable<QuestionCard["cell"]> }) {
  const { machine, key, fault, event, waiting } = cell;
  return (
    <>
      <Fact name="What happened">
        {machine} {typeof key === "string" ? key : JSON.stringify(key)} stopped: {fault}
      </Fact>
      <Fact name="It stopped on">
        {event === null ? "an answer" : <ValueTree value={event.value as Json} />}
      </Fact>
      <Fact name="In its mailbox">{countText(waiting, "thing", "things")}, this one included.</Fact>
    </>
  );
}

function AskLess({ card }: { readonly card: QuestionCard }) {
  const { workflow, call } = card;
  const may = useMay("admin");
  return (
    <Fold title="Not be asked about calls like this">
      {() => (
        <>
          {may === true && card.closedAt === null && <RuleForm card={card} />}
          <p>
            {may === true ? "All grants of " : "An admin can allow it beforehand; all grants of "}
            <code>{call?.operation}</code> stand in the list of{" "}
            <Link to="/page/workflows/$workflow/rules" params={{ workflow }}>
              what {workflow} may do
            </Link>
            . Whatever is beyond them is still asked.
          </p>
        </>
      )}
    </Fold>
  );
}

function Waiting({ card: { waiting } }: { readonly card: QuestionCard }) {
  if (waiting === null || waiting.events === 0) return null;
  const count = countText(waiting.events, "thing waits", "things wait");
  return <Fact name="Behind it">{`${count}${waiting.isMore ? " (or more)" : ""} for this.`}</Fact>;
}

function Closed({ card: { closedAt, closedBy, answer } }: { readonly card: QuestionCard }) {
  return (
    <p className="closed" role="status">
      <strong>Answered.</strong> {closedBy ?? "The host"} {sayAnswer(answer)}{" "}
      <Moment at={closedAt} />.
    </p>
  );
}
