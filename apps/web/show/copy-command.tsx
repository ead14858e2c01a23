import { useState } from "react";
import { commandText } from "../words/command-text.ts";

const shownMs = 2_000;

/** What is shown, or a deed, for a terminal. */
export function CopyCommand({ words }: { readonly words: readonly string[] }) {
  const [state, setState] = useState<"idle" | "copied" | "shown">("idle");
  const text = commandText(...words);
  const copy = async () => {
    // A browser gives no clipboard to a page that is not served encrypted.
    if (!window.isSecureContext) return setState("shown");
    await navigator.clipboard.writeText(text);
    setState("copied");
    window.setTimeout(() => setState("idle"), shownMs);
  };
  if (state === "shown") return <code>{text}</code>;
  return (
    <button type="button" className="plain copy" title={text} onClick={() => void copy()}>
      {state === "copied" ? "Copied" : "Copy as command"}
    </button>
  );
}
