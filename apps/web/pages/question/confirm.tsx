import { useState } from "react";
import type { MoreProps } from "./answers.tsx";

/** Where something could happen twice, one press is not enough. */
export function Confirm({ card, give, onClose, answer }: MoreProps & { readonly answer: string }) {
  const [isSure, setSure] = useState(false);
  const place = card.call?.target ?? "the service";
  return (
    <form
      className="more"
      onSubmit={(event) => {
        event.preventDefault();
        if (isSure) give({ answer });
      }}
    >
      <p>
        <strong>If it did happen after all, it happens twice.</strong>
      </p>
      <label>
        <input
          type="checkbox"
          checked={isSure}
          onChange={({ currentTarget }) => setSure(currentTarget.checked)}
        />
        I have looked at {place}, and it is not there.
      </label>
      <div className="buttons">
        <button type="submit" className="risky" disabled={!isSure}>
          Send it again
        </button>
        <button type="button" className="plain" onClick={onClose}>
          Not yet
        </button>
      </div>
    </form>
  );
}
