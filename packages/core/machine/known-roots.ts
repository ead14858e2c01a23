import type { Kernel } from "./kernel.ts";

/**
 * Which record from outside everything that is under way came of. It is kept beside a snapshot and
 * not in it: nothing is decided from it, so what is not known is no difference between two kernels.
 */
export type KnownRoots = {
  /** Of what waits in mailboxes, by the number of its own record. */
  readonly mails: readonly { readonly seq: number; readonly root: number }[];
  readonly intents: readonly { readonly id: string; readonly root: number }[];
};

export function knownRoots({ cells, intents }: Kernel): KnownRoots {
  const mails = new Map<number, number>();
  for (const { mailbox } of cells.values()) {
    for (const { stamp, root } of mailbox.entries()) {
      if (root !== null && root !== stamp.height) mails.set(stamp.height, root);
    }
  }
  return {
    mails: [...mails].map(([seq, root]) => ({ seq, root })),
    intents: [...intents.values()].flatMap(({ id, root }) => (root === null ? [] : [{ id, root }])),
  };
}

/** Of a kernel that was just opened from the snapshot beside which they lay. */
export function recallRoots(kernel: Kernel, { mails, intents }: KnownRoots): void {
  for (const { id, root } of intents) {
    const intent = kernel.intents.get(id);
    if (intent !== undefined) intent.root = root;
  }
  if (mails.length === 0) return;
  const rootOf = new Map(mails.map(({ seq, root }) => [seq, root]));
  for (const { mailbox } of kernel.cells.values()) {
    for (const mail of mailbox.entries()) mail.root ??= rootOf.get(mail.stamp.height) ?? null;
  }
}
