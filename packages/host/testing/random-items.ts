import type { CommandKind, CoreCommand, ItemRow, View } from "@holdfast/core";
import { encodeCanonical } from "@holdfast/core";
import type { Choice } from "./random-command.ts";

type Situation = { readonly view: View; readonly choice: Choice };
type Named = Situation & { readonly runId: string };
type ItemKind = Extract<
  CommandKind,
  | "enter_item"
  | "complete_item"
  | "compare_payload"
  | "accept_payload"
  | "reprocess_items"
  | "skip_item"
  | "start_fresh"
  | "make_way"
>;

const actor = "ann";

/** Mostly the one the open run is in, sometimes another, now and then one that never was. */
function someItem({ view, choice }: Situation): ItemRow | undefined {
  const open = [...view.rows("runs")].find((run) => run.open);
  const all = [...view.rows("items")];
  const current = all.find(({ itemId }) => itemId === open?.itemId);
  return choice.b % 4 === 0 ? all[choice.a % Math.max(all.length, 1)] : (current ?? all.at(-1));
}

type Makers<S> = { readonly [K in ItemKind]: (situation: S) => CoreCommand };

/** Commands about the items of jobs, as a property test chooses them. */
export function itemMakers<S extends Situation>(runOf: (situation: S) => string): Makers<S> {
  const of = (kind: ItemKind) => (situation: S) =>
    makers[kind]({ ...situation, runId: runOf(situation) });
  return {
    enter_item: of("enter_item"),
    complete_item: of("complete_item"),
    compare_payload: of("compare_payload"),
    accept_payload: of("accept_payload"),
    reprocess_items: of("reprocess_items"),
    skip_item: of("skip_item"),
    start_fresh: of("start_fresh"),
    make_way: of("make_way"),
  };
}

const makers: Makers<Named> = {
  enter_item: ({ runId, choice }) => {
    const itemId = `item ${choice.a % 5}`;
    return { kind: "enter_item", runId, itemId, title: `Item ${choice.a % 5}` };
  },
  complete_item: (named) => {
    const { runId, choice } = named;
    const { itemId = "none", attempt = 1 } = someItem(named) ?? {};
    const publishes = Array.from({ length: choice.a % 2 }, () => ({
      topic: "orders",
      messageId: choice.b % 2 === 0 ? null : `e${choice.a % 9}`,
      payload: encodeCanonical({ n: choice.a % 7 }),
      title: null,
      inputId: null,
    }));
    return { kind: "complete_item", runId, itemId, attempt, publishes };
  },
  compare_payload: ({ runId, view, choice }) => ({
    kind: "compare_payload",
    runId,
    mutationId: [...view.rows("mutations")].at(-1)?.mutationId ?? "m0",
    payload: encodeCanonical({ other: choice.a % 3 }),
    says: choice.b % 3 === 0 ? "minor" : "significant",
    note: "other differs",
  }),
  accept_payload: (named) => {
    const item = someItem(named);
    const asked = item?.mutationId ? named.view.find("mutations", item.mutationId) : null;
    const payloadHash = asked?.proposed?.hash ?? "none";
    return { kind: "accept_payload", itemId: item?.itemId ?? "none", payloadHash, actor };
  },
  reprocess_items: (named) => {
    const itemIds = [someItem(named)?.itemId ?? "none"];
    return { kind: "reprocess_items", itemIds, actor };
  },
  skip_item: (named) => ({ kind: "skip_item", itemId: someItem(named)?.itemId ?? "none", actor }),
  start_fresh: ({ choice }) => {
    const handler = choice.a % 5 === 0 ? "book" : "tidy";
    return { kind: "start_fresh", handler, actor };
  },
  make_way: ({ runId }) => ({ kind: "make_way", runId }),
};
