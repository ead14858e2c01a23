import type { VersionsAnswer } from "@holdfast/protocol";
import { useParams } from "@tanstack/react-router";
import { of } from "../../ask/api.ts";
import { Empty } from "../../show/empty.tsx";
import { Moment } from "../../show/moment.tsx";
import { RowList } from "../../show/row-list.tsx";

type Version = VersionsAnswer["items"][number];

/** Every script that was ever active, who made it so, and when. */
export function VersionsPage() {
  const { workflow } = useParams({ from: "/page/workflows/$workflow/versions" });
  return (
    <section className="panel">
      <RowList<Version>
        path={of(workflow, "versions")}
        what="the versions"
        idOf={versionIdOf}
        row={(version) => <VersionRow version={version} />}
        empty={<Empty title="Nothing was deployed yet." />}
      />
    </section>
  );
}

function versionIdOf({ version, activatedAt }: Version): string {
  return `${version} ${activatedAt}`;
}

function VersionRow({ version }: { readonly version: Version }) {
  return (
    <div className="row">
      <strong>
        {version.version}
        {version.isActive && <span className="quiet"> active</span>}
      </strong>
      <span className="row-line quiet">
        uses {version.connections.join(", ") || "nothing outside"} ·{" "}
        <code>{version.scriptHash.slice(0, 12)}</code>
      </span>
      <span className="row-end quiet">
        {version.activatedBy} · <Moment at={version.activatedAt} />
      </span>
    </div>
  );
}
