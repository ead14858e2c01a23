import { Outlet } from "@tanstack/react-router";
import { useState } from "react";
import { Banners } from "./banners.tsx";
import { KeyHelp } from "./key-help.tsx";
import { useKeys } from "./keys.ts";
import { useTab } from "./page-title.ts";
import { TopBar } from "./top-bar.tsx";
import { countOf, useNeeds } from "./use-needs.ts";

/** What stands around every page. */
export function Frame() {
  const [isHelpShown, setHelpShown] = useState(false);
  const needs = countOf(useNeeds().data);
  useTab(needs);
  useKeys(() => setHelpShown(true));
  return (
    <>
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <TopBar needs={needs} onHelp={() => setHelpShown(true)} />
      <Banners />
      <main id="content" tabIndex={-1}>
        <Outlet />
      </main>
      {isHelpShown && <KeyHelp onClose={() => setHelpShown(false)} />}
    </>
  );
}
