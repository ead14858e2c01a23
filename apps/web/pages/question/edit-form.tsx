import type { EditAnswer } from "@holdfast/protocol";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { post } from "../../ask/api.ts";
import { newKey } from "../../ask/new-key.ts";
import { pathOf } from "../../ask/use-answer.ts";
import { forgetDrafts, useDraft } from "../../ask/use-draft.ts";
import { Changes } from "../../show/changes.tsx";
import { Problem } from "../../show/problem.tsx";
import { differencesOf, type Json } from "../../words/values.ts";
import type { MoreProps } from "./answers.tsx";

/** Other parameters make another call, which is asked about anew: as it is then, it can be sent. */
export function EditForm({ card, onClose }: Omit<MoreProps, "give">) {
  const { workflow, attentionId, call } = card;
  const before = (call?.params ?? null) as Json;
  const name = `${workflow} ${attentionId}`;
  const [draft, setDraft] = useDraft(`${name} params`);
  const [error, setError] = useState<unknown>(null);
  const navigate = useNavigate();
  const text = draft === "" ? JSON.stringify(before, null, 2) : draft;
  const after = parsed(text);
  const changes = after === undefined ? [] : differencesOf(before, after);
  const edit = async () => {
    try {
      const payloadHash = call?.approval?.payloadHash ?? "";
      const path = `${pathOf(card)}/edit`;
      const { question } = await post<EditAnswer>(path, { params: after, payloadHash }, newKey());
      forgetDrafts(name);
      if (question === null) return onClose();
      await navigate({ to: "/page/needs-you/$workflow/$question", params: { workflow, question } });
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <form
      className="more"
      onSubmit={(event) => {
        event.preventDefault();
        if (changes.length > 0) void edit();
      }}
    >
      <label>
        The call, as it should be sent
        <textarea
          className="code"
          rows={Math.min(20, text.split("\n").length + 1)}
          spellCheck={false}
          value={text}
          onChange={({ currentTarget }) => setDraft(currentTarget.value)}
        />
      </label>
      {after === undefined && <p className="quiet">That is not JSON yet.</p>}
      {changes.length > 0 && <Changes changes={changes} />}
      {error !== null && <Problem error={error} />}
      <div className="buttons">
        <button type="submit" disabled={changes.length === 0}>
          Change it, then ask me again
        </button>
        <button type="button" className="plain" onClick={onClose}>
          Back
        </button>
      </div>
    </form>
  );
}

/** Undefined = it cannot be read. */
function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
