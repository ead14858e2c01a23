import type { HandlerForms, OperationUse } from "../../manifest/manifest.ts";
import type { CheckInput } from "../../validate/check-input.ts";
import type { Problem } from "../../validate/problem.ts";
import type { ScriptSource } from "../script-source.ts";

/** What the process apart is asked. Everything in it is plain JSON. */
export type Question =
  | { readonly kind: "syntax"; readonly source: ScriptSource }
  | { readonly kind: "checks"; readonly source: ScriptSource; readonly input: CheckInput };

export type Answer = {
  readonly problems: readonly Problem[];
  readonly operations: readonly OperationUse[]; // only for checks
  readonly forms: readonly HandlerForms[]; // the same
};

/** What it says: that it has started, an answer, or that our own code failed on the script. */
export type Saying =
  | { readonly kind: "ready" }
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "too_deep" }
  | { readonly kind: "broken"; readonly stack: string };
