import { createHash } from "node:crypto";
import type { QuestionAnswer, VerdictAnswer } from "@holdfast/protocol";
import { Command } from "commander";
import { example } from "../group.ts";
import { HostClient, HostProblem } from "../host-client.ts";
import { plain, print } from "../print.ts";
import { UsageError } from "../store-place.ts";
import { questionPath } from "./approve.ts";

type Options = {
  readonly data?: string;
  readonly json: boolean;
  readonly workflow?: string;
  readonly these?: string;
};

type Page = { readonly items: readonly QuestionAnswer[]; readonly next: string | null };

export function approveAllCommand(): Command {
  const command = new Command("approve-all")
    .argument("<operation>", "such as shop.post")
    .option("--these <digest>", "agree to exactly those that were shown with this digest")
    .option("--workflow <workflow>", "only those of this workflow")
    .option("--data <folder>", "data folder of the running host")
    .option("--json", "one line of JSON", false)
    .addHelpText(
      "after",
      "\nExample:\n  holdfast approve-all shop.post            # shows them, and their digest" +
        "\n  holdfast approve-all shop.post --these 3f9a1c02d7e4b865",
    )
    .action(run);
  return example(command, "approve-all shop.post", "approve-all shop.post --these <digest>");
}

async function run(operation: string, options: Options): Promise<void> {
  const { json, these } = options;
  const client = new HostClient(options);
  const waiting = await find(client, operation, options);
  if (waiting.length === 0) throw new UsageError(`no call of ${operation} waits for a yes`);
  const digest = digestOf(waiting);
  if (these === undefined) {
    return print(json, { digest, items: waiting }, () => shown(operation, waiting, digest));
  }
  if (these !== digest) {
    throw new UsageError(
      `what waits now is not what was shown with ${these}; nothing was agreed to. Look again`,
    );
  }
  const told = await Promise.all(waiting.map((each) => approve(client, each)));
  const agreed = told.filter(({ refused }) => refused === null).length;
  print(json, { agreed, items: told }, () => summary(told, agreed));
  if (agreed < told.length) process.exitCode = 1;
}

async function find(
  client: HostClient,
  operation: string,
  { workflow }: Options,
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

/** A list leaves large parameters out; nobody agrees to what was not shown. */
async function whole(client: HostClient, question: QuestionAnswer): Promise<QuestionAnswer> {
  const { workflow, attentionId, call } = question;
  if (call === null || call.paramsCut === null) return question;
  return client.get<QuestionAnswer>(questionPath(workflow, attentionId));
}

/** Of everything that each approval would be bound to: one call more, or another, is another. */
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
async function approve(client: HostClient, question: QuestionAnswer): Promise<Told> {
  const { workflow, attentionId, call } = question;
  const { payloadHash, previewHash } = call?.approval ?? {};
  try {
    const given = { answer: "approve", payloadHash, previewHash };
    await client.post<VerdictAnswer>(questionPath(workflow, attentionId), given);
    return { workflow, attentionId, refused: null };
  } catch (error) {
    if (!(error instanceof HostProblem)) throw error;
    return { workflow, attentionId, refused: error.message };
  }
}

function shown(operation: string, waiting: readonly QuestionAnswer[], digest: string): string {
  const lines = waiting.map(({ workflow, attentionId, call }) =>
    plain(
      `${workflow} ${attentionId}  ${call?.approval?.preview}  ${JSON.stringify(call?.params)}`,
    ),
  );
  const next = `To agree to exactly these: holdfast approve-all ${operation} --these ${digest}`;
  return [...lines, `${waiting.length} calls`, next].join("\n");
}

function summary(told: readonly Told[], agreed: number): string {
  const refused = told.flatMap(({ workflow, attentionId, refused: why }) =>
    why === null ? [] : [plain(`${workflow} ${attentionId}: ${why}`)],
  );
  return [...refused, `${agreed} of ${told.length} calls were agreed to.`].join("\n");
}
