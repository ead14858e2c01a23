import {
  type AttentionKind,
  type attentionAnswers,
  type CanonicalValue,
  encodeCanonical,
  type InboxCommand,
  type InboxKind,
} from "@holdfast/core";
import type { Json } from "@holdfast/sdk";
import type { Question } from "./look.ts";
import { TestError } from "./test-error.ts";

/** Every answer to any question. */
export type PersonsAnswer = (typeof attentionAnswers)[AttentionKind][number];

/** A command as the inbox takes it, without who gave it. */
export type CommandBody<K extends InboxKind> = Omit<
  Extract<InboxCommand, { kind: K }>,
  "kind" | "actor"
>;

type SomeCommand = { [K in InboxKind]: readonly [kind: K, body: CommandBody<K>] }[InboxKind];

function onItem(answer: PersonsAnswer, item: Question["item"]): SomeCommand {
  const { itemId = "", proposedHash: payloadHash = "" } = item ?? {};
  if (answer === "accept_cached") return ["accept_payload", { itemId, payloadHash }];
  if (answer === "skip") return ["skip_item", { itemId }];
  return ["reprocess_items", { itemIds: [itemId] }];
}

/** A person's answer as a command; a question about the workflow is about its open run. */
export function commandOf(
  { kind, subject, id, answers, item }: Question,
  answer: PersonsAnswer,
  { result, openRun }: { readonly result: Json; readonly openRun: string | null },
): SomeCommand {
  if (!answers.includes(answer)) {
    const text = `"${answer}" is no answer to ${kind}; it has ${answers.join(", ")}`;
    throw new TestError("test_invalid", text);
  }
  const about = subject ?? "";
  if (kind === "payload_differs") return onItem(answer, item);
  switch (answer) {
    case "accept_cached":
    case "reprocess":
      return onItem(answer, item);
    case "try_again":
    case "skip":
    case "send":
      return ["resolve_mutation", { mutationId: about, answer: { says: answer } }];
    case "did_not_happen":
      // biome-ignore lint/suspicious/noThenProperty: the word of the contract; never awaited
      return ["resolve_mutation", { mutationId: about, answer: { says: answer, then: null } }];
    case "happened": {
      const bytes = encodeCanonical(result as CanonicalValue);
      return ["resolve_mutation", { mutationId: about, answer: { says: answer, result: bytes } }];
    }
    case "resume":
      return subject === null ? ["resume_workflow", {}] : ["resume_run", { runId: subject }];
    case "retry":
      return ["retry_run", { runId: about }];
    case "stop":
      return ["stop_run", { runId: subject ?? openRun ?? "" }];
    case "continue":
      return ["continue_restored", { attentionId: id }];
    case "acknowledge":
      return ["acknowledge", { attentionId: id }];
    case "approve":
    case "edit":
    case "reject":
      throw new TestError("test_invalid", "no test can be asked for an approval yet");
  }
}
