import type { HostProcess } from "../end-to-end/host-process.ts";

type Journal = {
  readonly items: readonly {
    readonly record: {
      readonly kind: string;
      readonly intent_hash?: unknown;
      readonly accepted?: boolean | null;
    };
  }[];
  readonly next: number | null;
};

const path = "/workflows/orders/machines";

/** What the journal of the machines says against the host: each intent is settled, and once. */
export async function machineProblems(host: HostProcess): Promise<readonly string[]> {
  const problems: string[] = [];
  const replayed = await host.api<{ ok: boolean }>("GET", `${path}/replay`);
  if (!replayed.ok) problems.push(`replay: ${JSON.stringify(replayed)}`);
  const opened = new Map<string, number>();
  for (let after: number | null = 0; after !== null; ) {
    const { items, next }: Journal = await host.api("GET", `${path}/journal?after=${after}`);
    for (const { record } of items) {
      const id = JSON.stringify(record.intent_hash);
      if (record.kind === "effect_intent") opened.set(id, 0);
      if (record.kind === "effect_receipt" && record.accepted === true) {
        opened.set(id, (opened.get(id) ?? Number.NaN) + 1);
      }
    }
    after = next;
  }
  if (opened.size === 0) problems.push("no machine asked for anything");
  for (const [id, count] of opened) {
    if (count !== 1) problems.push(`the intent ${id} was settled ${count} times`);
  }
  return problems;
}
