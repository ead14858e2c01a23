import { useQueries } from "@tanstack/react-query";
import { get, of } from "../../ask/api.ts";
import { keyOf } from "../../ask/asked.ts";
import { type Said, sayCall } from "../../words/states.ts";
import type { Call, Input } from "../../words/why.ts";

export type Happening = {
  readonly id: string;
  readonly kind: "input" | "output";
  readonly name: string;
  readonly workflow: string;
  readonly said: Said;
  readonly text: string;
  /** What the script calls it. */
  readonly title: string | null;
  readonly at: number;
};

type Told = { readonly items: readonly (Input | Call)[] };

const shownMax = 100;
const perWorkflow = 50;

/** Null = some of it was not told yet. */
export function useHappenings(workflows: readonly string[]): readonly Happening[] | null {
  const asks = workflows.flatMap((workflow) =>
    ["inputs", "mutations"].map((what) => ({ workflow, path: of(workflow, what) })),
  );
  const query = { limit: perWorkflow };
  const found = useQueries({
    queries: asks.map(({ path }) => ({
      queryKey: keyOf(path, query),
      queryFn: () => get<Told>(path, query),
    })),
  });
  if (found.some(({ data, error }) => data === undefined && error === null)) return null;
  const all = found.flatMap(({ data }, index) => {
    const workflow = asks[index]?.workflow ?? "";
    return (data?.items ?? []).map((item) => happeningOf(workflow, item));
  });
  return all.toSorted((a, b) => b.at - a.at).slice(0, shownMax);
}

function happeningOf(workflow: string, item: Input | Call): Happening {
  if ("inputId" in item) {
    const { inputId, title, createdAt } = item;
    const said = { text: "came in", tone: "quiet" } as const;
    const id = `${workflow} input ${inputId}`;
    return {
      id,
      kind: "input",
      name: inputId,
      workflow,
      said,
      text: title,
      title: null,
      at: createdAt,
    };
  }
  const { mutationId, operation, target, title, approval, settledAt, recordedAt } = item;
  return {
    id: `${workflow} output ${mutationId}`,
    kind: "output",
    name: mutationId,
    workflow,
    said: sayCall(item),
    text: approval?.preview ?? `${operation} at ${target}`,
    title,
    at: settledAt ?? recordedAt,
  };
}
