import { useState } from "react";

const before = "holdfast draft ";

/** What was typed and not sent: it outlives a lost connection, a login and a reload. */
export function useDraft(name: string): [text: string, setText: (text: string) => void] {
  const key = `${before}${name}`;
  const [text, setText] = useState(() => localStorage.getItem(key) ?? "");
  const keep = (next: string) => {
    setText(next);
    if (next === "") localStorage.removeItem(key);
    else localStorage.setItem(key, next);
  };
  return [text, keep];
}

/** What was typed for a question that is answered is of no use any more. */
export function forgetDrafts(question: string): void {
  const ours = Object.keys(localStorage).filter((key) => key.startsWith(`${before}${question} `));
  for (const key of ours) localStorage.removeItem(key);
}
