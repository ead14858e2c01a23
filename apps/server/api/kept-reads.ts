import type { Store } from "@holdfast/core";
import { type ApiContext, headerOf } from "./api-env.ts";

const keptCountMax = 1_000;
/** What is longer is put together anew. */
const keptCharsMax = 65_536;

type Kept = { readonly head: string; readonly text: string; readonly headers: TaggedHeaders };
type TaggedHeaders = { readonly etag: string; readonly "content-type"?: "application/json" };

/**
 * Answers that hang on nothing but the rows of one workflow are the same until its journal has
 * moved on. The head is their tag: a caller that shows it is told that nothing is new, and any
 * other gets the text that was made for it.
 */
export class KeptReads {
  readonly #store: Pick<Store, "load">;
  readonly #kept = new Map<string, Kept>();

  constructor(store: Pick<Store, "load">) {
    this.#store = store;
  }

  async answer<T>(context: ApiContext, make: (workflow: string) => Promise<T>): Promise<Response> {
    const workflow = context.req.param("workflow") ?? "";
    // Asked first: what is read after it is at least as new as its tag says.
    const { head } = await this.#store.load(workflow, []);
    const { path } = context.req;
    const known = this.#kept.get(path);
    const etag = known?.head === head.hash ? known.headers.etag : tagOf(head.hash);
    if (headerOf(context, "if-none-match") === etag) return answerOf(null, { etag });
    const now = known?.head === head.hash ? known : keptOf(head.hash, await make(workflow));
    this.#keep(path, now);
    return answerOf(now.text, now.headers);
  }

  /** The one that was asked for longest ago goes first. */
  #keep(path: string, kept: Kept): void {
    this.#kept.delete(path);
    if (kept.text.length > keptCharsMax) return;
    this.#kept.set(path, kept);
    if (this.#kept.size <= keptCountMax) return;
    const [oldest = ""] = this.#kept.keys();
    this.#kept.delete(oldest);
  }
}

function tagOf(head: string): string {
  return `"${head.slice(0, 32)}"`;
}

function keptOf(head: string, answer: unknown): Kept {
  const headers = { etag: tagOf(head), "content-type": "application/json" } as const;
  return { head, text: JSON.stringify(answer), headers };
}

/** With its headers as they are: copying them into an object for them costs more than sending. */
function answerOf(text: string | null, headers: TaggedHeaders): Response {
  return new Response(text, { status: text === null ? 304 : 200, headers });
}
