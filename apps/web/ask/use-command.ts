import type { VerdictAnswer } from "@holdfast/protocol";
import { useState } from "react";
import { of, post } from "./api.ts";
import { newKey } from "./new-key.ts";

export type Asking =
  | { readonly kind: "idle" }
  | { readonly kind: "asking" }
  | { readonly kind: "done"; readonly note: string }
  | { readonly kind: "refused"; readonly error: unknown };

/** Asks a workflow's owner for something, and says what came of it. */
export function useCommand(workflow: string, onDone: () => void = () => {}) {
  const [asking, setAsking] = useState<Asking>({ kind: "idle" });
  const ask = async (kind: string, body: object = {}) => {
    setAsking({ kind: "asking" });
    try {
      const path = of(workflow, "commands");
      const { note } = await post<VerdictAnswer>(path, { kind, body }, newKey());
      setAsking({ kind: "done", note });
      onDone();
    } catch (error) {
      setAsking({ kind: "refused", error });
    }
  };
  return { asking, ask: (kind: string, body?: object) => void ask(kind, body) };
}
