import { Link } from "@tanstack/react-router";
import { CommandButton } from "../../show/command-button.tsx";
import { CopyCommand } from "../../show/copy-command.tsx";
import { Fold } from "../../show/fold.tsx";
import { Mark } from "../../show/mark.tsx";
import { Moment } from "../../show/moment.tsx";
import { ValueTable } from "../../show/value-table.tsx";
import { type Intent, sayEffect } from "../../words/machines.ts";
import { type Said, sayCallState } from "../../words/states.ts";
import type { Json } from "../../words/values.ts";

type Props = { readonly workflow: string; readonly intents: readonly Intent[] };

/** What was asked for and has no answer, the oldest first. */
export function OpenIntents({ workflow, intents }: Props) {
  if (intents.length === 0) return null;
  const isAsked = intents.some(({ attentionId }) => attentionId !== null);
  return (
    <section className={`panel${isAsked ? " needs-panel" : ""}`}>
      <h2>What it waits for</h2>
      <ol className="mail">
        {intents.map((each) => (
          <OpenIntent key={each.intentId} workflow={workflow} intent={each} />
        ))}
      </ol>
    </section>
  );
}

function sayIntent({ kind, state }: Intent): Said {
  if (state !== null) return sayCallState(state);
  return { text: kind === "timer" ? "set" : "being asked", tone: "moving" };
}

function OpenIntent({ workflow, intent }: { readonly workflow: string; readonly intent: Intent }) {
  const { intentId, effect, params, kind, recordedAt, dueAt, attentionId, mutationId } = intent;
  return (
    <li>
      <div className="head">
        <strong>{sayEffect(effect, params as Json)}</strong>
        <Mark said={sayIntent(intent)} />
      </div>
      <p className="quiet">
        {recordedAt !== null && (
          <>
            asked <Moment at={recordedAt} />
          </>
        )}
        {dueAt !== null && (
          <>
            {kind === "timer" ? "" : " · given up "}
            <Moment at={dueAt} />
          </>
        )}{" "}
        {attentionId !== null && (
          <Link
            to="/page/needs-you/$workflow/$question"
            params={{ workflow, question: attentionId }}
          >
            Answer the question
          </Link>
        )}{" "}
        {mutationId !== null && (
          <Link
            to="/page/workflows/$workflow/outputs/$output"
            params={{ workflow, output: mutationId }}
          >
            All about this call
          </Link>
        )}
      </p>
      <Fold title="What it asked for">{() => <ValueTable value={params as Json} />}</Fold>
      <div className="buttons">
        <CommandButton
          workflow={workflow}
          command="cancel_intent"
          body={{ intentId }}
          says="Take it back …"
          warns={
            kind === "timer"
              ? "It is not woken. Its script is told that this was taken back."
              : "If nothing of it was sent, it never is, and its script is told so. What is on " +
                "its way is found out all the same."
          }
        />
        <CopyCommand words={["machine", "cancel", workflow, intentId]} />
      </div>
    </li>
  );
}
