import type { AskerAnswer } from "@holdfast/protocol";
import { Link, useNavigate } from "@tanstack/react-router";
import { logOut } from "../ask/api.ts";
import { useAsk } from "../ask/asked.ts";
import { sections } from "../pages/sections.ts";
import { type Needs, needsText } from "./use-needs.ts";

type Props = { readonly needs: Needs; readonly onHelp: () => void };

export function TopBar({ needs, onHelp }: Props) {
  return (
    <header className="top-bar">
      <div className="top-bar-inner">
        <Link to="/" className="brand">
          Holdfast
        </Link>
        <nav aria-label="Pages">
          <Link to="/page/needs-you" className={needs.count > 0 ? "needs has-some" : "needs"}>
            Needs you <span className="count">{needsText(needs)}</span>
          </Link>
          {sections.map(({ to, says }) => (
            <Link key={to} to={to}>
              {says}
            </Link>
          ))}
        </nav>
        <search>
          <SearchField />
        </search>
        <button type="button" className="plain" onClick={onHelp} aria-label="Keys and help">
          ?
        </button>
        <Me />
      </div>
    </header>
  );
}

function SearchField() {
  const navigate = useNavigate();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const text = String(new FormData(event.currentTarget).get("q") ?? "").trim();
        void navigate({ to: "/page/search", search: { q: text } });
      }}
    >
      <input
        id="search"
        name="q"
        type="search"
        placeholder="Search  /"
        aria-label="Search titles and ids"
        autoComplete="off"
      />
    </form>
  );
}

function Me() {
  const { data } = useAsk<AskerAnswer>("/me");
  if (data === undefined) return null;
  return (
    <span className="me">
      <span title={`Logged in as ${data.role}`}>{data.name}</span>
      <button type="button" className="plain" onClick={() => void logOut()}>
        Log out
      </button>
    </span>
  );
}
