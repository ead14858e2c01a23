import { useEffect, useRef } from "react";
import { zoneName } from "../words/times.ts";

const keys = [
  ["j  k", "down and up in a list"],
  ["Enter", "open what has the focus"],
  ["a", "go to the answers of a question; Enter then gives one"],
  ["/", "search"],
  ["?", "this help"],
  ["Esc", "close"],
] as const;

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl className="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p className="quiet">
        Times are in your zone, {zoneName()}; the exact instant shows when the pointer rests on one.
        Every page has an address of its own, and a command that shows the same.
      </p>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
