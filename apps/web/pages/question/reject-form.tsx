import { useState } from "react";
import { useDraft } from "../../ask/use-draft.ts";
import type { MoreProps } from "./answers.tsx";

const thens = [
  ["skip", "Leave it out: the workflow goes on without it."],
  ["stop", "Stop: what it worked on is let go, and the workflow is paused."],
] as const;

/** A no has a reason, which stays with the call, and says how to go on. */
export function RejectForm({ card, give, onClose }: MoreProps) {
  const [reason, setReason] = useDraft(`${card.workflow} ${card.attentionId} reason`);
  const [way, setWay] = useState<"skip" | "stop">("skip");
  const send = () => {
    // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
    give({ answer: "reject", reason: reason.trim(), then: way });
  };
  return (
    <form
      className="more"
      onSubmit={(event) => {
        event.preventDefault();
        if (reason.trim() !== "") send();
      }}
    >
      <label>
        Why not? Whoever looks at it later reads this.
        <textarea
          rows={2}
          maxLength={1_000}
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
      </label>
      <fieldset>
        <legend>And then</legend>
        {thens.map(([value, says]) => (
          <label key={value}>
            <input
              type="radio"
              name="then"
              checked={way === value}
              onChange={() => setWay(value)}
            />
            {says}
          </label>
        ))}
      </fieldset>
      <div className="buttons">
        <button type="submit" disabled={reason.trim() === ""}>
          Do not send it
        </button>
        <button type="button" className="plain" onClick={onClose}>
          Back
        </button>
      </div>
    </form>
  );
}
