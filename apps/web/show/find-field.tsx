import { useEffect, useState } from "react";

type Props = { readonly value: string; readonly onChange: (text: string) => void };

const pauseMs = 250;

/** Narrows a list to what has the text in a title or an id, once the typing pauses. */
export function FindField({ value, onChange }: Props) {
  const [text, setText] = useState(value);
  useEffect(() => {
    if (text === value) return;
    const timer = window.setTimeout(() => onChange(text), pauseMs);
    return () => window.clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <input
      type="search"
      placeholder="Find in this list"
      aria-label="Find in this list"
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}

export function finds(text: string, ...parts: readonly (string | null)[]): boolean {
  const wanted = text.toLowerCase();
  return parts.some((part) => part?.toLowerCase().includes(wanted) === true);
}
