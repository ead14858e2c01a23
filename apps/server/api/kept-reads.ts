import type { Store } from "@holdfast/core";
import { type ApiContext, headerOf } from "./api-env.ts";

const keptCountMax = 1_000;
/** What is longer is put together anew. */
const keptCharsMax = 65_536;

type Kept = { readonly head: string; readonly text: string };

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
    const { workflow = "" } = context.req.param();
    // Asked first: what is read after it is at least as new as its tag says.
    const { head } = await this.#store.load(workflow, []);
    const tag = `"${head.hash.slice(0, 32)}"`;
    context.env.outgoing.setHeader("etag", tag);
    if (headerOf(context, "if-none-match") === tag) return context.body(null, 304);
    const { path } = context.req;
    const known = this.#kept.get(path);
    const text = known?.head === head.hash ? known.text : JSON.stringify(await make(workflow));
    this.#keep(path, { head: head.hash, text });
    return context.body(text, 200, { "content-type": "application/json" });
  }

  /** The one that was asked for longest ago goes first. */
  #keep(path: string, kept: Kept): void {
    this.#kept.delete(path);
    if (kept.text.length > keptCharsMax) return;
    this.#kept.set(path, kept);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size > keptCountMax) this.#kept.delete(oldest);
  }
}
