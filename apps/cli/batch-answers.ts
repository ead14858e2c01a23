import { createHash } from "node:crypto";
import type { QuestionAnswer, VerdictAnswer } from "@holdfast/protocol";
import { questionPath } from "./commands/approve.ts";
import { HostClient, HostProblem } from "./host-client.ts";
import { plain, print } from "./print.ts";
import { compareCalls, shapeOf } from "./shape-of-call.ts";
import { UsageError } from "./store-place.ts";

export type BatchOptions = {
  readonly data?: string;
  readonly json: boolean;
  readonly workflow?: string;
  readonly these?: string;
};

export type Batch = {
  readonly operation: string;
  /** The command that was given, without the digest. */
  readonly command: string;
  /** What is done with those it was said of, in words and as a name. */
  readonly done: string;
  readonly counted: "agreed" | "rejected";
  /** What is said of each; it is bound to what was shown of it. */
  readonly given: (question: QuestionAnswer) => object;
};

type Page = { readonly items: readonly QuestionAnswer[]; readonly next: string | null };

/** Calls of one shape: whoever has looked at one knows where to look at the others. */
type Alike = { readonly digest: string; readonly items: readonly QuestionAnswer[] };

/**
 * One answer for many questions about calls that look alike. They are shown first, by their shape,
 * and answered are exactly those that were shown with the digest.
 */
export async function answerAlike(batch: Batch, options: BatchOptions): Promise<void> {
  const { json, these } = options;
  const client = new HostClient(options);
  const groups = alike(await find(client, batch.operation, options));
  if (groups.length === 0) throw new UsageError(`no call of ${batch.operation} waits for a yes`);
  if (these === undefined) return print(json, { groups }, () => shown(batch, groups));
  const meant = groups.find(({ digest }) => digest === these);
  if (meant === undefined) {
    throw new UsageError(
      `what waits now is not what was shown with ${these}; nothing was ${batch.done}. Look again`,
    );
  }
  const told = await Promise.all(meant.items.map((each) => say(client, each, batch)));
  const count = told.filter(({ refused }) => refused === null).length;
  print(json, { [batch.counted]: count, items: told }, () => summary(told, count, batch));
  if (count < told.length) process.exitCode = 1;
}

async function find(
  client: HostClient,
  operation: string,
  { workflow }: BatchOptions,
): Promise<readonly QuestionAnswer[]> {
  const found: QuestionAnswer[] = [];
  for (let after: string | undefined; ; ) {
    const page: Page = await client.get<Page>("/attention", { after, limit: "500" });
    found.push(
      ...page.items.filter(
        (each) =>
          each.kind === "approval" &&
          each.call?.operation === operation &&
          (workflow === undefined || each.workflow === workflow),
      ),
    );
    if (page.next === null) return Promise.all(found.map((each) => whole(client, each)));
    after = page.next;
  }
}

/** A list leaves large parameters out; nobody answers for what was not shown. */
async function whole(client: HostClient, question: QuestionAnswer): Promise<QuestionAnswer> {
  const { workflow, attentionId, call } = question;
  if (call === null || call.paramsCut === null) return question;
  return client.get<QuestionAnswer>(questionPath(workflow, attentionId));
}

/** The most frequent shape first. */
function alike(waiting: readonly QuestionAnswer[]): readonly Alike[] {
  const groups = Map.groupBy(waiting, ({ call }) => shapeOf(call?.params));
  return [...groups.values()]
    .map((items) => ({ digest: digestOf(items), items }))
    .sort((one, other) => other.items.length - one.items.length);
}

/** Of everything that each answer would be bound to: one call more, or another, is another. */
function digestOf(waiting: readonly QuestionAnswer[]): string {
  const names = waiting.map(({ workflow, attentionId, call }) =>
    JSON.stringify([
      workflow,
      attentionId,
      call?.approval?.payloadHash,
      call?.approval?.previewHash,
    ]),
  );
  return createHash("sha256").update(names.toSorted().join("\n")).digest("hex").slice(0, 16);
}

type Told = {
  readonly workflow: string;
  readonly attentionId: string;
  readonly refused: string | null;
};

/** Each is bound to its own bytes; one that is refused keeps none of the others. */
async function say(client: HostClient, question: QuestionAnswer, batch: Batch): Promise<Told> {
  const { workflow, attentionId } = question;
  try {
    await client.post<VerdictAnswer>(questionPath(workflow, attentionId), batch.given(question));
    return { workflow, attentionId, refused: null };
  } catch (error) {
    if (!(error instanceof HostProblem)) throw error;
    return { workflow, attentionId, refused: error.message };
  }
}

function shown(batch: Batch, groups: readonly Alike[]): string {
  return groups.map((each) => shownGroup(batch, each)).join("\n\n");
}

function shownGroup({ command }: Batch, { digest, items }: Alike): string {
  const lines = items.map(({ workflow, attentionId, call }) =>
    plain(
      `${workflow} ${attentionId}  ${call?.approval?.preview}  ${JSON.stringify(call?.params)}`,
    ),
  );
  const { same, different } = compareCalls(items.map(({ call }) => call?.params ?? null));
  const all = plain(`the same in all: ${JSON.stringify(same)}`);
  const none = plain(`different: ${different.length === 0 ? "nothing" : different.join(", ")}`);
  const next = `For exactly these: holdfast ${command} --these ${digest}`;
  return [...lines, `${items.length} calls of one shape; ${all}; ${none}`, next].join("\n");
}

function summary(told: readonly Told[], count: number, { done }: Batch): string {
  const refused = told.flatMap(({ workflow, attentionId, refused: why }) =>
    why === null ? [] : [plain(`${workflow} ${attentionId}: ${why}`)],
  );
  return [...refused, `${count} of ${told.length} calls were ${done}.`].join("\n");
}
