import type { Said, Tone } from "../words/states.ts";

const signs: Readonly<Record<Tone, string>> = {
  quiet: "·",
  moving: "▸",
  you: "?",
  stopped: "!",
  unknown: "◌",
  done: "✓",
};

export function signOf(tone: Tone): string {
  return signs[tone];
}

/** A state in words, with a sign before it that tells the same without color. */
export function Mark({ said, sign }: { readonly said: Said; readonly sign?: string }) {
  return (
    <span className={`mark tone-${said.tone}`}>
      <span className="sign" aria-hidden="true">
        {sign ?? signOf(said.tone)}
      </span>
      {said.text}
    </span>
  );
}
