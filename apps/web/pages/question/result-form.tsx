import type { AnswerRequest } from "@holdfast/protocol";
import { useDraft } from "../../ask/use-draft.ts";
import type { MoreProps } from "./answers.tsx";

/** It happened: what the service would have answered may be given for the script to go on with. */
export function ResultForm({ card, give, onClose }: MoreProps) {
  const [text, setText] = useDraft(`${card.workflow} ${card.attentionId} result`);
  const read = parsed(text);
  const isAsked = card.call?.canReconcile === true;
  const send = () => {
    give({ answer: "happened", ...(read === undefined ? {} : { result: read }) });
  };
  return (
    <form
      className="more"
      onSubmit={(event) => {
        event.preventDefault();
        if (read !== null) send();
      }}
    >
      <p>
        {isAsked
          ? "The service is asked once more. If it has it, its own answer counts."
          : "Nobody else can tell: your word counts. Nothing is sent."}
      </p>
      <label>
        What it answered, as JSON, if the script needs it (may stay empty)
        <textarea
          rows={3}
          spellCheck={false}
          value={text}
          placeholder='{ "status": 200, "body": { "number": "A-9931" } }'
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      {read === null && <p className="quiet">That is not JSON yet.</p>}
      <div className="buttons">
        <button type="submit" className="main" disabled={read === null}>
          It is there: count it as done
        </button>
        <button type="button" className="plain" onClick={onClose}>
          Back
        </button>
      </div>
    </form>
  );
}

type Result = NonNullable<AnswerRequest["result"]>;

/** Undefined = nothing was given; null = it cannot be read. */
function parsed(text: string): Result | undefined | null {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text) as Result;
  } catch {
    return null;
  }
}
