import { error, warning } from "./code-entry.ts";

/** What is wrong with the code of a handler. */
export const handlerCodes = {
  code_after_mutation: error(
    "Code stands after the mutation in `mutate`; it would never run.",
    "Make the mutation the last thing on its path; do what follows from it in `next`.",
    { bad: 'await ctx.shop.book(o); ctx.log("done");', good: "await ctx.shop.book(o);" },
  ),
  several_mutations_on_one_path: error(
    "One path through `mutate` makes more than one mutation.",
    "Keep one mutation per path; publish an event in `next` for the other, or use a job.",
    {
      bad: "await ctx.a.send(x); await ctx.b.send(y);",
      good: "if (x) await ctx.a.send(x); else …",
    },
  ),
  read_in_mutate: error(
    "`mutate` reads from outside; it must be decided by what `prepare` returned.",
    'Read in `prepare` and pass it in `data`; by-id reads need mutateReads: "byId".',
    { bad: "mutate: … await ctx.shop.listOrders()", good: "prepare: … data: { orders }" },
  ),
  forbidden_in_phase: error(
    "This cannot be done in this phase; it would abort the run.",
    "Move it to a phase that may do it: read in prepare, change in mutate, publish in next.",
    { bad: 'prepare: … ctx.publish("a", e)', good: 'next: … ctx.publish("a", e)' },
  ),
  catch_around_operation: error(
    "A catch stands around an operation, but the errors of operations never reach the script.",
    "Remove the catch; the host retries, asks or reports. Keep try for your own parsing only.",
    { bad: "try { await ctx.shop.get(id) } catch { … }", good: "await ctx.shop.get(id)" },
  ),
  call_not_awaited: error(
    "A call is left without await, so the handler can end before it is answered.",
    "Put await before it; go through lists with for … of, or await Promise.all of a map.",
    {
      bad: "orders.forEach(async (o) => { … })",
      good: "for (const o of orders) { await … }",
    },
  ),
  shared_global_written: error(
    "A handler writes to a variable of the script; every phase runs in a fresh isolate.",
    "Return state from the handler, or carry the data in events.",
    { bad: "let seen = 0; … seen += 1;", good: "return { seen: (state?.seen ?? 0) + 1 };" },
  ),
  time_at_top_level: error(
    "The clock or randomness is used while the script loads, so the value would be frozen.",
    "Use it inside a handler.",
    { bad: "const start = Date.now();", good: "async prepare() { const now = Date.now(); … }" },
  ),
  eval_used: error("Code is made from text.", "Write the code itself.", {
    bad: "eval(text)",
    good: "JSON.parse(text)",
  }),
  global_not_there: error(
    "A script has no network, files, timers or process of its own.",
    "Use an operation of a connection; for waiting return wakeAt from `prepare`.",
    { bad: "await fetch(url)", good: "await ctx.shop.getOrder({ id })" },
  ),
  unknown_ctx_member: error(
    "ctx has no function of that name.",
    "Use ctx.publish, registerInput, peek, getByIds, kv, log, withItem, or an operation.",
    { bad: 'ctx.emit("a", e)', good: 'ctx.publish("a", e)' },
  ),
  unstable_message_id: error(
    "A messageId comes from the clock, from randomness or from a position; reruns make new ones.",
    "Derive it from the outside thing's own id.",
    { bad: "messageId: String(Date.now())", good: "messageId: order.id" },
  ),
  unstable_item_id: error(
    "An item's id comes from the clock, from randomness or from a position.",
    "Derive it from the id that the thing has outside.",
    { bad: 'ctx.withItem("row" + index, …)', good: 'ctx.withItem("order:" + order.id, …)' },
  ),
  unstable_subkey: error(
    "A subkey comes from the clock, from randomness or from a position.",
    "Say what is sent, not when or in which order.",
    { bad: "subkey: String(i)", good: 'subkey: "welcome"' },
  ),
  id_may_change: warning(
    "An item's id or a subkey seems to be made of a moment, a place or what the thing has in it.",
    "Derive it from the id that the thing has outside; if it is one, leave it.",
    { bad: "ctx.withItem(sha256(row), …)", good: 'ctx.withItem("row:" + row.id, …)' },
  ),
  item_title_missing: error(
    "An item has no title, so nobody could be told what it is.",
    "Give withItem an id, a title and the handler.",
    { bad: "ctx.withItem(id, async (ctx) => …)", good: 'ctx.withItem(id, "Order " + id, …)' },
  ),
  item_title_alike: warning(
    "Several items of a run would have the same title, so people could not tell them apart.",
    "Put into the title what tells the thing from others.",
    { bad: 'ctx.withItem(o.id, "Order", …)', good: 'ctx.withItem(o.id, "Order " + o.id, …)' },
  ),
  nested_item: error(
    "withItem stands inside another item.",
    "Close the first item before the next, or make one item with a composite id.",
    { bad: "withItem(a, t, () => withItem(b, …))", good: 'withItem(a + ":" + b, t, …)' },
  ),
  items_begun_together: warning(
    "Items are begun together, but the host works on one after the other.",
    "Go through them with for … of and await each; reads outside of items may go together.",
    {
      bad: "await Promise.all(orders.map((o) => ctx.withItem(…)))",
      good: "for (const o of orders) await ctx.withItem(…)",
    },
  ),
  mutation_outside_item: error(
    "A job makes a mutation outside of any item.",
    "Put it into ctx.withItem(id, title, handler).",
    { bad: "handler: … await ctx.mail.send(m)", good: "await ctx.withItem(id, title, …)" },
  ),
  item_without_done_guard: warning(
    "An item makes mutations without looking at isDone; on a done item they fail the run.",
    "Begin the item with `if (ctx.item.isDone) return;`.",
    { bad: "async (ctx) => { await ctx.mail.send(m); }", good: "if (ctx.item.isDone) return;" },
  ),
  missing_title: warning(
    "`prepare` gives no ui.title although `mutate` changes something outside.",
    "Return ui: { title } that says what the mutation means to a person.",
    { bad: "return { reservations, data };", good: 'return { …, ui: { title: "Book " + id } };' },
  ),
  prepare_returns_nothing: error(
    "`prepare` returns nothing, or nothing on one of its paths.",
    "Return { reservations, data }; empty reservations say that there is nothing to do.",
    {
      bad: 'async prepare(ctx) { await ctx.peek("a"); }',
      good: "return { reservations: [], data }",
    },
  ),
  reservations_missing: error(
    "`prepare` returns an object without reservations.",
    "Add reservations: [{ topic, ids }], or [] when there is nothing to do.",
    { bad: "return { data };", good: "return { reservations: [], data };" },
  ),
  input_id_in_next: error(
    "An event published in `next` names an inputId; it inherits its inputs by itself.",
    "Remove inputId.",
    { bad: 'ctx.publish("b", { messageId, inputId })', good: 'ctx.publish("b", { messageId })' },
  ),
  result_kind_ignored: error(
    "`next` takes the mutation's result without looking at its status; none and skipped have none.",
    "Look at mutationResult.status first.",
    { bad: "result.result.id", good: 'if (result.status === "applied") result.result.id' },
  ),
  publish_whatever_happened: warning(
    "`next` publishes without a look at what became of the mutation; it runs on skip and none too.",
    "Publish only if mutationResult.status is what the event says.",
    {
      bad: "next: (ctx) => ctx.publish(…)",
      good: 'if (result.status === "applied") ctx.publish(…)',
    },
  ),
} as const;
