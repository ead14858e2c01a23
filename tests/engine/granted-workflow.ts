import {
  encodeGrants,
  type Grant,
  type MutationRow,
  plainGrants,
  readGrants,
} from "@holdfast/core";
import type { WorkflowInTest } from "./workflow-in-test.ts";

const book = "shop.bookOrder";
const list = plainGrants("allow", ["shop.listOrders", "shop.getOrder"]);

/** What may be booked, as a person would write it; orders may be read in any case. */
export function bookGrants(...given: readonly object[]): Uint8Array {
  const all = [...list, ...given.map((each) => ({ operation: book, ...each }))];
  const read = readGrants(all as unknown as Parameters<typeof readGrants>[0]);
  if (!read.ok) throw new Error(read.message);
  return encodeGrants(read.grants as readonly Grant[]);
}

/** Sets the grants, and lets a host go on with them. */
export function grant(it: WorkflowInTest, ...given: readonly object[]): Promise<string> {
  return it.ask("set_envelope", { grants: bookGrants(...given) });
}

/** The call that waits for a person. */
export async function askedCall(it: WorkflowInTest): Promise<MutationRow> {
  const rows = await it.rows("mutations");
  const found = rows.find(({ state }) => state === "awaiting_approval");
  if (found === undefined) throw new Error("Nobody is asked about a call.");
  return found;
}

/** Agrees to what is asked, as it was shown; the test may say something else. */
export async function approve(
  it: WorkflowInTest,
  other: { readonly payloadHash?: string; readonly previewHash?: string } = {},
): Promise<string> {
  const { mutationId, payloadHash, approval } = await askedCall(it);
  const previewHash = approval?.previewHash ?? "";
  return it.ask("approve_mutation", { mutationId, payloadHash, previewHash, ...other });
}

/** What its open run waits for. */
export async function openRun(it: WorkflowInTest) {
  const { status, reason, failure, dueAt, phase } = await it.openRun();
  return { status, reason, phase, dueAt, message: failure?.message ?? null };
}

export async function states(it: WorkflowInTest): Promise<readonly string[]> {
  return (await it.rows("mutations")).map(({ state }) => state);
}
