import type { WorkflowShownAnswer } from "@holdfast/protocol";
import { useState } from "react";
import { of } from "../../ask/api.ts";
import { useAsk } from "../../ask/asked.ts";

/** What is followed: stands in the address. */
type Followed = {
  readonly event?: string;
  readonly intent?: string;
  readonly topic?: string;
  readonly path?: string;
  readonly value?: string;
};

type Props = {
  readonly workflow: string;
  readonly search: Followed;
  readonly onFollow: (search: Followed) => void;
};

/** The newest that came in with a value somewhere in it; other ways are addresses of their own. */
export function FollowForm({ workflow, search, onFollow }: Props) {
  const { data } = useAsk<WorkflowShownAnswer>(of(workflow));
  const topics = data?.topics.map(({ topic }) => topic) ?? [];
  const [topic, setTopic] = useState(search.topic ?? "");
  const [path, setPath] = useState(search.path ?? "");
  const [value, setValue] = useState(search.value ?? "");
  const chosen = topic === "" ? (topics[0] ?? "") : topic;
  return (
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        onFollow({ topic: chosen, path, value });
      }}
    >
      <label className="filter">
        The newest of
        <select value={chosen} onChange={({ currentTarget }) => setTopic(currentTarget.value)}>
          {topics.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <label className="filter">
        whose
        <input
          required
          placeholder="field"
          size={10}
          value={path}
          onChange={({ currentTarget }) => setPath(currentTarget.value)}
        />
      </label>
      <label className="filter">
        is
        <input
          required
          placeholder="value"
          size={14}
          value={value}
          onChange={({ currentTarget }) => setValue(currentTarget.value)}
        />
      </label>
      <button type="submit">Follow it</button>
    </form>
  );
}
