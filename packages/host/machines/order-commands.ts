/** What a frame orders, as commands of the change that keeps it. */
import {
  type AskedCell,
  askedCell,
  type CellNews,
  type CoreCommand,
  type EventRef,
  type MachinePublication,
  type View,
} from "@holdfast/core";
import { cellIdOf, type Kernel, type Publication, unhex } from "@holdfast/core/machine";
import type { Origins } from "./origins.ts";
import { canceled, originGone } from "./receipts.ts";
import { shownKey } from "./show-records.ts";

export async function publicationsOf(
  orders: readonly Publication[],
  origins: Origins,
): Promise<readonly MachinePublication[]> {
  const publications: MachinePublication[] = [];
  for (const order of orders) {
    if (order.kind !== "event") continue;
    const { topic, messageId: given, value: payload } = order.event;
    const messageId = given ?? `machine-${order.seq}`;
    const { causedBy = [] } = (await origins.of(order.root)) ?? {};
    const older = order.older ? { older: true } : {};
    publications.push({ topic, messageId, payload, causedBy, ...older });
  }
  return publications;
}

/** What people are asked about, and no longer. */
export function cellNewsOf(order: Publication): CellNews[] {
  if (order.kind !== "stopped" && order.kind !== "restarted") return [];
  const { key, machine } = order.cell;
  const cell = askedCellOf(order.cell);
  if (order.kind === "restarted") {
    const { actor, poison: answer } = order.by;
    return [{ ...cell, news: "restarted", actor, answer }];
  }
  const shown = shownKey(key);
  const name = typeof shown === "string" ? shown : JSON.stringify(shown);
  const note = `${key === null ? machine : `${machine} ${name}`} stopped: ${order.why}`;
  return [{ ...cell, news: "stopped", note: note.slice(0, noteMax) }];
}

const noteMax = 1_000;

function askedCellOf({ machine, key }: CellName) {
  return { machine, key: key && Buffer.from(key).toString("hex") };
}

/** So many events are named of one cell in one frame. */
const heldMax = 10_000;

type CellName = Extract<Publication, { kind: "stopped" }>["cell"];

/**
 * Events whose consequences wait for a cell that stands still: all of them where it stopped in this
 * frame, else those that came in it.
 */
export async function heldNewsOf(
  kernel: Kernel,
  { orders, from, view, origins }: HeldIn,
): Promise<readonly CellNews[]> {
  const open = view.rows("attentions").filter(({ closedAt }) => closedAt === null);
  const asked = open.flatMap((question) => askedCell(question) ?? []);
  const cells = new Map(asked.map((cell) => [idOf(cell), { cell, roots: [] as Roots, from }]));
  for (const order of orders) {
    if (order.kind !== "stopped") continue;
    const cell = askedCellOf(order.cell);
    cells.set(idOf(cell), { cell, roots: [order.root], from: 0 });
  }
  const news: CellNews[] = [];
  for (const [id, { cell, roots, from: since }] of cells) {
    const events: EventRef[] = [];
    for (const root of new Set([...roots, ...rootsOf(kernel, id, since)])) {
      const event = events.length < heldMax ? await origins.eventOf(root) : null;
      if (event !== null) events.push(event);
    }
    if (events.length > 0) news.push({ ...cell, news: "holds", events });
  }
  return news;
}

type HeldIn = {
  readonly orders: readonly Publication[];
  /** Number of the first record of the frame. */
  readonly from: number;
  readonly view: View;
  readonly origins: Origins;
};

type Roots = readonly (number | null)[];

function idOf({ machine, key }: AskedCell): string {
  return cellIdOf(machine, key === null ? null : unhex(key));
}

/** Of what waits for a cell that stands still and came with this record or later. */
function rootsOf(kernel: Kernel, cellId: string, from: number): Roots {
  const cell = kernel.cells.get(cellId);
  if (cell === undefined || cell.failed === null) return [];
  const roots: (number | null)[] = [];
  for (let at = cell.mailbox.count - 1; at >= 0; at--) {
    const mail = cell.mailbox.at(at);
    if (mail === null || mail.stamp.height < from) break;
    roots.push(mail.root);
  }
  return roots.reverse();
}

/** Of what is in the ledger; what is not there is not sent either. */
export function withdrawalOf(
  order: Publication,
  before: ReadonlySet<string>,
  left: readonly string[],
): CoreCommand[] {
  if (order.kind !== "cancel" && order.kind !== "withdraw") return [];
  const intentId = Buffer.from(order.intentHash).toString("hex");
  if (before.has(intentId) || left.includes(intentId)) return [];
  const note = order.kind === "cancel" ? canceled : originGone;
  return [{ kind: "withdraw_intent", intentId, note }];
}
