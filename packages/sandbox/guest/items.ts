import { ask, encodeOrEnd } from "./calls.ts";
import { describeThrown } from "./errors.ts";
import { host } from "./host.ts";

type Item = { readonly isDone: boolean };

/** Items that are asked for at once come one after the other; the host refuses nesting. */
let last: Promise<unknown> = Promise.resolve();

export function runItem(
  named: readonly [id: unknown, title: unknown],
  handler: unknown,
  contextOf: (item: Item) => object,
): Promise<unknown> {
  if (typeof handler !== "function") host("refuse", "item_without_handler");
  const before = last;
  const run = (async () => {
    await before;
    const item = (await ask("ctx.withItem", named, "item")) as Item;
    const result = await handled(handler as (ctx: object) => unknown, contextOf(item));
    await ask("ctx.itemDone", null, "item");
    return result;
  })();
  last = run;
  return run;
}

/** What an item's handler throws ends the run: a script that goes on would hide it. */
async function handled(handler: (ctx: object) => unknown, ctx: object): Promise<unknown> {
  try {
    return await handler(ctx);
  } catch (thrown) {
    host("threw", encodeOrEnd(describeThrown(thrown), "error"));
    throw thrown;
  }
}
