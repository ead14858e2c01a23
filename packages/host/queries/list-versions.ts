import type { Fact, JournalRecord, Store, VerdictRow } from "@holdfast/core";
import type { Page, PageQuery, VersionItem } from "./answers.ts";
import { seqAt } from "./fact-list.ts";
import { FoundRows, row } from "./found-rows.ts";
import { allOf, pageOf, readPage } from "./paged-list.ts";
import { readRecord } from "./read-record.ts";

type VersionActivated = Extract<Fact, { kind: "version_activated" }>;

/** Every version that was ever the active one, the newest first. */
export async function listVersions(
  store: Store,
  workflow: string,
  query: PageQuery,
): Promise<Page<VersionItem>> {
  const list = { workflow, list: "activations", of: [], downTo: null } as const;
  const found = await readPage<VerdictRow>(
    {
      placeOf: ({ position }) => [position],
      pick: allOf<VerdictRow>(({ accepted }) => accepted),
      read: (after, limit) => store.listRows({ ...list, after, limit }),
    },
    query,
  );
  const active = await activeVersion(store, workflow);
  const items: VersionItem[] = [];
  for (const verdict of found.rows) {
    const fact = await activationOf(store, workflow, verdict);
    if (fact === null) continue;
    const { major, minor, scriptHash, connections, actor } = fact;
    const version = `${major}.${minor}`;
    const isActive = version === active;
    const activatedAt = verdict.answeredAt;
    items.push({ version, isActive, scriptHash, connections, activatedBy: actor, activatedAt });
  }
  return pageOf(items, found);
}

async function activeVersion(store: Store, workflow: string): Promise<string | null> {
  const found = new FoundRows(store, workflow);
  await found.load([row("workflows")]);
  const active = found.find("workflows");
  return active === null ? null : `${active.versionMajor}.${active.versionMinor}`;
}

/** The fact stands in the change that the verdict came with, so it is of the same time. */
async function activationOf(
  store: Store,
  workflow: string,
  { answeredAt, actor, commandId }: VerdictRow,
): Promise<VersionActivated | null> {
  let found: VersionActivated | null = null;
  for (let seq = await seqAt(store, workflow, answeredAt); ; seq += 1) {
    const record: JournalRecord | null = await readRecord(store, workflow, seq);
    if (record === null || record.at !== answeredAt) return found;
    const { fact } = record;
    if (fact.kind === "version_activated" && fact.actor === actor) found = fact;
    if (fact.kind === "command_answered" && fact.commandId === commandId) return found;
  }
}
