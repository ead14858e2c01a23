import { Changes } from "../../show/changes.tsx";
import { Moment } from "../../show/moment.tsx";
import { ScriptTitle } from "../../show/script-title.tsx";
import { ValueTable } from "../../show/value-table.tsx";
import { isOfMachine, type QuestionCard } from "../../words/questions.ts";
import { sayCall, sayGuarantee } from "../../words/states.ts";
import { differencesOf, type Json } from "../../words/values.ts";
import type { Call } from "../../words/why.ts";

type Props = { readonly call: Call; readonly card: QuestionCard };

/** The call as it will be sent, or was; the script's own words stand beside it, as such. */
export function CallPanel({ call, card }: Props) {
  const { approvedBefore, edited, proposed, declared } = card;
  const { operation, target, params, title, preview, approval } = call;
  const before = approvedBefore?.params as Json | undefined;
  const changes = before === undefined ? [] : differencesOf(before, params as Json);
  const edits = edited === null ? [] : differencesOf(edited.params as Json, params as Json);
  const marked = new Set([...changes, ...edits].map(({ name }) => name));
  return (
    <section className="call" aria-label="The call">
      <p className="call-head">
        <strong>{preview ?? operation}</strong>
        <span className="quiet">
          {approval === null ? `at ${target}` : operation}
          {declared !== null && ` · ${declared.capability}, ${declared.risk} risk`}
        </span>
      </p>
      <ValueTable value={params as Json} marked={marked} />
      {title !== null && !isOfMachine(card) && <ScriptTitle title={title} />}
      {edited !== null && (
        <div>
          <p>Not as the script made it: {edited.by.join(", ")} changed it.</p>
          <Changes changes={edits} />
        </div>
      )}
      {proposed !== null && (
        <div>
          <p>The script now asks for something else instead. It was not sent. What differs:</p>
          <Changes changes={differencesOf(params as Json, proposed.params as Json)} />
        </div>
      )}
      {approvedBefore !== null && (
        <div>
          <p>
            {approvedBefore.actor ?? "Somebody"} agreed to another call for the same{" "}
            <Moment at={approvedBefore.approvedAt} />. What is different now:
          </p>
          <Changes changes={changes} />
        </div>
      )}
      {approval !== null && approval.approvedAt === null && (
        <p className="quiet">
          Without an answer it is not sent: the question ends <Moment at={approval.expiresAt} />.
          {approval.fourEyes && " Whoever deployed or proposed its version may not agree to it."}
        </p>
      )}
    </section>
  );
}

/** For the curious. */
export function CallDetails({ call }: { readonly call: Call }) {
  const { mutationId, state, guarantee, approval } = call;
  return (
    <>
      <div>
        <dt>Call</dt>
        <dd>
          <code>{mutationId}</code>: {sayCall(call).text} (<code>{state}</code>)
        </dd>
      </div>
      <div>
        <dt>Guarantee</dt>
        <dd>
          {guarantee}. {sayGuarantee(guarantee)}
        </dd>
      </div>
      {approval !== null && (
        <div>
          <dt>Bytes</dt>
          <dd>
            <code>{approval.payloadHash}</code>, shown as <code>{approval.previewHash}</code>
          </dd>
        </div>
      )}
    </>
  );
}
