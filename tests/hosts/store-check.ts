import type { Rows, Store, TableName } from "@holdfast/core";
import { verify } from "@holdfast/host";
import type { ToldLine } from "./history.ts";
import type { OutsideLine } from "./history-line.ts";
import { JournalWalk } from "./journal-walk.ts";
import { toldByStore } from "./load-commands.ts";

/** Far more than anybody leaves behind. */
const everything = 1_000_000;

/** Compares a store with the history of its hosts, again and again as both grow. */
export class StoreCheck {
  readonly #walks = new Map<string, JournalWalk>();
  readonly #appending = new Set<string>();
  readonly #appended: { readonly workflow: string; readonly commandId: string }[] = [];
  #readCount = 0;

  get recordCount(): number {
    return [...this.#walks.values()].reduce((sum, { recordCount }) => sum + recordCount, 0);
  }

  /** While hosts live: all that was acknowledged until now is in the journals. */
  async checkLive(store: Store, lines: readonly ToldLine[]): Promise<string[]> {
    return this.#checkJournals(store, lines, false);
  }

  /** When no host lives: the journals hold nothing else, and nothing outside is unaccounted for. */
  async checkQuiet(
    store: Store,
    lines: readonly ToldLine[],
    outside: readonly OutsideLine[],
  ): Promise<string[]> {
    const problems = await this.#checkJournals(store, lines, true);
    const workflows = [...this.#walks.keys()];
    for (const workflow of workflows)
      problems.push(...(await this.#checkCommands(store, workflow)));
    problems.push(...(await checkLedger(store, workflows, outside)));
    for (const { problems: found } of await verify(store, { full: true })) {
      for (const each of found) problems.push(`verify: ${JSON.stringify(each)}`);
    }
    return problems;
  }

  async #checkJournals(
    store: Store,
    lines: readonly ToldLine[],
    isQuiet: boolean,
  ): Promise<string[]> {
    for (const line of lines.slice(this.#readCount)) this.#add(line);
    this.#readCount = lines.length;
    const problems: string[] = [];
    for (const walk of this.#walks.values()) problems.push(...(await walk.check(store, isQuiet)));
    return problems;
  }

  #add(line: ToldLine): void {
    if (line.kind === "appending") this.#appending.add(nameOf(line));
    if (line.kind === "appended") this.#appended.push(line);
    if (line.kind !== "asked" && line.kind !== "answered") return;
    const walk = this.#walks.get(line.workflow) ?? new JournalWalk(line.workflow);
    this.#walks.set(line.workflow, walk);
    walk.add(line);
  }

  async #checkCommands(store: Store, workflow: string): Promise<string[]> {
    const verdicts = await rowsOf(store, workflow, "verdicts");
    const waiting = await store.readInbox(workflow, everything);
    const ids = [...verdicts, ...waiting].map(({ commandId }) => commandId);
    const there = new Set(ids);
    const problems: string[] = [];
    if (there.size !== ids.length) problems.push("a command is there twice");
    for (const line of this.#appended) {
      if (line.workflow !== workflow || there.has(line.commandId)) continue;
      problems.push(`command ${line.commandId} was acknowledged and is gone`);
    }
    for (const commandId of there) {
      if (this.#appending.has(nameOf({ workflow, commandId }))) continue;
      if (commandId.startsWith(toldByStore)) continue;
      problems.push(`command ${commandId} is there, but nobody gave it`);
    }
    return problems.map((problem) => `${workflow}: ${problem}`);
  }
}

function nameOf({ workflow, commandId }: { workflow: string; commandId: string }): string {
  return `${workflow} ${commandId}`;
}

/** Nothing happens outside without a ledger row that says so, and what is applied has happened. */
async function checkLedger(
  store: Store,
  workflows: readonly string[],
  outside: readonly OutsideLine[],
): Promise<string[]> {
  const problems: string[] = [];
  const made = new Set(outside.map(({ mutationKey }) => mutationKey));
  const sent = new Set<string>();
  const isPossible = new Set<string>();
  for (const workflow of workflows) {
    for (const mutation of await rowsOf(store, workflow, "mutations")) {
      const { mutationKey, sendCount, state } = mutation;
      if (sendCount > 0) sent.add(mutationKey);
      if (sendCount > 0 && state !== "failed") isPossible.add(mutationKey);
      if (state !== "applied" || made.has(mutationKey)) continue;
      problems.push(`${workflow}: mutation ${mutationKey} is applied, but never happened`);
    }
  }
  for (const key of made) {
    if (!sent.has(key)) problems.push(`mutation ${key} was made, but no ledger row says so`);
    else if (!isPossible.has(key)) problems.push(`mutation ${key} was made, and is called failed`);
  }
  return problems;
}

async function rowsOf<T extends TableName>(
  store: Store,
  workflow: string,
  table: T,
): Promise<Rows[T][]> {
  const rows: Rows[T][] = [];
  for await (const row of store.scan(workflow, table)) rows.push(row);
  return rows;
}
