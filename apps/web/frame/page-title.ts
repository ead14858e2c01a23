import { useEffect } from "react";
import { OutsideState, useOutside } from "../ask/outside-state.ts";
import { type Needs, needsText } from "./use-needs.ts";

const title = new OutsideState("");

/** What the page is about, for the tab and for the history of the browser. */
export function usePageTitle(text: string): void {
  useEffect(() => title.set(text), [text]);
}

const iconMax = 10;

/** How many questions are open stands in the title and in the icon of the tab. */
export function useTab(needs: Needs): void {
  const text = useOutside(title);
  useEffect(() => {
    const before = needs.count === 0 ? "" : `(${needsText(needs)}) `;
    document.title = `${before}${text === "" ? "" : `${text} · `}Holdfast`;
    const icon = document.getElementById("icon");
    icon?.setAttribute("href", `/assets/needs-${Math.min(needs.count, iconMax)}.svg`);
  }, [text, needs]);
}
