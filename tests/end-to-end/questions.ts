import { expect } from "vitest";
import type { HostProcess } from "./host-process.ts";

export type Question = {
  readonly attentionId: string;
  readonly kind: string;
  readonly subject: string;
};

export async function openQuestions(host: HostProcess): Promise<readonly Question[]> {
  const path = "/workflows/orders/attention?status=open";
  return (await host.api<{ items: readonly Question[] }>("GET", path)).items;
}

/** Waits until exactly these are asked. */
export async function asked(host: HostProcess, ...kinds: readonly string[]): Promise<Question> {
  const open = async () => (await openQuestions(host)).map(({ kind }) => kind);
  await expect.poll(open, { timeout: 60_000 }).toEqual(kinds);
  const [first] = await openQuestions(host);
  if (first === undefined) throw new Error("nothing is asked");
  return first;
}

/** Waits until this is asked, whatever else is. */
export async function askedToo(host: HostProcess, kind: string): Promise<Question> {
  const find = async () => (await openQuestions(host)).find((each) => each.kind === kind);
  await expect.poll(find, { timeout: 60_000 }).toBeDefined();
  const found = await find();
  if (found === undefined) throw new Error(`${kind} is no longer asked`);
  return found;
}

export async function answer(
  host: HostProcess,
  question: Question,
  ...words: string[]
): Promise<void> {
  const given = await host.holdfast("answer", "orders", question.attentionId, ...words);
  expect(given).toMatchObject({ code: 0 });
}

export const soon = (isSo: () => boolean | Promise<boolean>) =>
  expect.poll(isSo, { timeout: 60_000, interval: 10 }).toBe(true);
