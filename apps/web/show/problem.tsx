import { AskProblem, Unreachable } from "../ask/api.ts";

/** What happened, what it means, what to do, and the code to look it up by. */
export function Problem({
  error,
  retry,
}: {
  readonly error: unknown;
  readonly retry?: () => void;
}) {
  const { what, todo, code } = wordsOf(error);
  return (
    <div className="problem" role="status">
      <p>
        <strong>{what}</strong>
      </p>
      {todo !== null && <p>{todo}</p>}
      <p className="quiet">
        {code !== null && <code>{code}</code>}{" "}
        {retry && (
          <button type="button" className="plain" onClick={retry}>
            Ask again
          </button>
        )}
      </p>
    </div>
  );
}

type Words = { readonly what: string; readonly todo: string | null; readonly code: string | null };

function wordsOf(error: unknown): Words {
  if (error instanceof AskProblem && error.status === 401) {
    const todo = "Nothing was changed. Log in as it says above, then do it again.";
    return { what: "You are not logged in any more.", todo, code: error.said.code ?? null };
  }
  if (error instanceof AskProblem) {
    const { remedy = null, code = null } = error.said;
    return { what: error.message, todo: remedy, code };
  }
  if (error instanceof Unreachable) {
    const todo = "What is shown is from before. It goes on by itself when the host is back.";
    return { what: "The host does not answer.", todo, code: "HOST_UNREACHABLE" };
  }
  const what = error instanceof Error ? error.message : String(error);
  return { what: `The page made a mistake: ${what}`, todo: "Load the page again.", code: null };
}
