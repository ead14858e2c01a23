import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { AskProblem } from "../ask/api.ts";
import { Problem } from "./problem.tsx";

type Props<T> = {
  readonly query: UseQueryResult<T>;
  /** What is being asked for, as "what came in". */
  readonly what: string;
  readonly children: (found: T) => ReactNode;
};

/** What was asked for once it is there; until then a sentence, and if it is refused, why. */
export function Answered<T>({ query, what, children }: Props<T>) {
  if (query.data !== undefined) return children(query.data);
  if (isLoggedOut(query.error)) return null;
  if (query.error !== null) {
    return <Problem error={query.error} retry={() => void query.refetch()} />;
  }
  return <Asking what={what} />;
}

/** The banner above the page says so, and what to do. */
function isLoggedOut(error: unknown): boolean {
  return error instanceof AskProblem && error.status === 401;
}

const patienceMs = 400;

/** A quick answer needs no sentence. */
export function Asking({ what }: { readonly what: string }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setSlow(true), patienceMs);
    return () => window.clearTimeout(timer);
  }, []);
  return (
    <p className="quiet asking" role="status">
      {isSlow ? `Asking the host for ${what} …` : " "}
    </p>
  );
}
