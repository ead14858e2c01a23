import type { AskerAnswer, TokenAnswer } from "@holdfast/protocol";
import { useState } from "react";
import { remove } from "../../ask/api.ts";
import { asked, keyOf, useAsk } from "../../ask/asked.ts";
import { useMay } from "../../ask/use-me.ts";
import { usePageTitle } from "../../frame/page-title.ts";
import { Answered } from "../../show/answered.tsx";
import { CopyCommand } from "../../show/copy-command.tsx";
import { Moment } from "../../show/moment.tsx";
import { Problem } from "../../show/problem.tsx";
import { commandText } from "../../words/command-text.ts";

/** Who may come in, as whom, and until when. */
export function PeoplePage() {
  usePageTitle("People");
  const isAdmin = useMay("admin");
  const me = useAsk<AskerAnswer>("/me");
  return (
    <>
      <h1>People and programs</h1>
      <Answered query={me} what="who you are">
        {({ name, role, until }) => (
          <p>
            You are <strong>{name}</strong>, {role}
            {until !== null && (
              <>
                ; this browser is let in until <Moment at={until} />
              </>
            )}
            .
          </p>
        )}
      </Answered>
      {isAdmin === false && <p className="quiet">Who else has a token is shown to an admin.</p>}
      {isAdmin === true && <Tokens />}
      <p className="quiet">
        New ones are made where the host runs, never in a browser:{" "}
        <code>{commandText("token", "create", "anna", "--role", "operator")}</code>
      </p>
    </>
  );
}

function Tokens() {
  const query = useAsk<{ items: readonly TokenAnswer[] }>("/tokens");
  return (
    <section>
      <div className="head">
        <h2>Tokens</h2>
        <CopyCommand words={["token", "ls"]} />
      </div>
      <Answered query={query} what="the tokens">
        {({ items }) => (
          <div className="table-place">
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">Role</th>
                  <th scope="col">Made</th>
                  <th scope="col">Ends</th>
                  <th scope="col">
                    <span className="quiet">Deeds</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {items.map((token) => (
                  <TokenRow key={token.name} token={token} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Answered>
    </section>
  );
}

function TokenRow({ token }: { readonly token: TokenAnswer }) {
  const { name, role, createdAt, createdBy, expiresAt, workflows } = token;
  const [isAsked, setAsked] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const revoke = async () => {
    try {
      await remove(`/tokens/${encodeURIComponent(name)}`);
      await asked.invalidateQueries({ queryKey: keyOf("/tokens") });
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        {role}
        {workflows !== null && <span className="quiet"> of {workflows.join(", ")}</span>}
      </td>
      <td>
        <Moment at={createdAt} /> <span className="quiet">by {createdBy}</span>
      </td>
      <td>
        <Moment at={expiresAt} none="never" />
      </td>
      <td className="wide">
        <button
          type="button"
          className={isAsked ? "risky" : "plain"}
          onClick={() => (isAsked ? void revoke() : setAsked(true))}
        >
          {isAsked ? `Revoke ${name}: at once, with every browser of theirs` : "Revoke …"}
        </button>
        {error !== null && <Problem error={error} />}
      </td>
    </tr>
  );
}
