import { useEffect } from "react";

/** `a` was pressed on a row: the card that it opens is to be answered. */
let isAnswerWanted = false;

/** True once, for the card that is shown next. */
export function takeAnswerWanted(): boolean {
  const wanted = isAnswerWanted;
  isAnswerWanted = false;
  return wanted;
}

export function useKeys(onHelp: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      const act = actionOf(event.key, onHelp);
      if (act === null) return;
      event.preventDefault();
      act();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [onHelp]);
}

/** Keys that are typed into a field are text. */
function isTyping({ target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const inDialog = target.closest("dialog") !== null;
  return inDialog || target.matches("input, textarea, select, [contenteditable]");
}

function actionOf(key: string, onHelp: () => void): (() => void) | null {
  switch (key) {
    case "j":
      return () => move(1);
    case "k":
      return () => move(-1);
    case "a":
      return answer;
    case "/":
      return () => document.getElementById("search")?.focus();
    case "?":
      return onHelp;
    default:
      return null;
  }
}

function move(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[at === -1 ? (by === 1 ? 0 : rows.length - 1) : at + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

/** It only leads to the answer; what counts is pressed by hand. */
function answer(): void {
  const choice = document.querySelector<HTMLElement>("[data-choice]");
  if (choice !== null) return choice.focus();
  const row = document.activeElement;
  if (!(row instanceof HTMLElement) || row.dataset["row"] !== "question") return;
  isAnswerWanted = true;
  row.click();
}
