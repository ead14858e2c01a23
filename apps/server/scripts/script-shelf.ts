import type { Connections, Hash, HostedScript, Store } from "@holdfast/core";
import {
  AccountRests,
  ConnectedWorld,
  type OutsideWorld,
  type RemoteDesk,
  type ScriptLibrary,
  type Timers,
} from "@holdfast/host";
import type { Accounts } from "../accounts.ts";
import type { OpenedScript, ScriptWorkshop } from "../ports.ts";
import type { HostSecrets } from "../secrets.ts";

type Placed = {
  readonly hash: Hash;
  readonly opened: OpenedScript;
  readonly script: HostedScript;
  readonly outside: ConnectedWorld;
  /** Of the accounts, when it was made. */
  readonly changeCount: number;
};

type ShelfParts = {
  readonly store: Pick<Store, "loadBlob" | "load">;
  readonly workshop: ScriptWorkshop;
  readonly accounts: Accounts;
  readonly secrets: HostSecrets;
  readonly now: () => number;
  readonly timers: Timers;
  readonly random: () => number;
  /** For executors in other processes; absent = there are none. */
  readonly desk?: RemoteDesk;
};

/** Versions kept open while nobody works with them; the one used longest ago goes first. */
const openedMax = 500;

/**
 * The deployed versions that this host has opened, out of the store. The loop of a workflow loads
 * its version before it reads or sends anything, so the outside it then meets is that version's.
 */
export class ScriptShelf implements ScriptLibrary {
  readonly #parts: ShelfParts;
  readonly #rests = new AccountRests();
  readonly #opened = new Map<Hash, Promise<OpenedScript>>();
  readonly #active = new Map<string, Placed>();

  constructor(parts: ShelfParts) {
    this.#parts = parts;
  }

  async load(workflow: string, hash: Hash): Promise<HostedScript> {
    const active = this.#active.get(workflow);
    if (active?.hash === hash) return active.script;
    const placed = this.#place(hash, await this.#open(workflow, hash));
    this.#active.set(workflow, placed);
    return placed.script;
  }

  letGo(workflow: string): void {
    this.#active.delete(workflow);
  }

  /** The version that is active now; null = there is none. */
  async active(workflow: string): Promise<OpenedScript | null> {
    const need = { kind: "row", table: "workflows", key: [] } as const;
    const { rows } = await this.#parts.store.load(workflow, [need]);
    const found = rows.find((each) => each.table === "workflows");
    const hash = found?.table === "workflows" ? found.row.scriptHash : null;
    return hash === null ? null : this.#open(workflow, hash as Hash);
  }

  /** A version that was deployed once, active or not. */
  version(workflow: string, hash: string): Promise<OpenedScript> {
    return this.#open(workflow, hash as Hash);
  }

  /** The outside of the version that is active; null = there is none. */
  async activeWorld(workflow: string): Promise<ConnectedWorld | null> {
    const opened = await this.active(workflow);
    return opened === null ? null : this.#worldOf(opened);
  }

  /** All of it: what is left out here counts as said by nobody. */
  outside(workflow: string): Required<OutsideWorld> {
    const now = () => {
      const active = this.#active.get(workflow);
      if (active === undefined) throw new Error(`${workflow} has not loaded its script yet`);
      const { accounts } = this.#parts;
      if (active.changeCount === accounts.changeCount) return active.outside;
      const placed = this.#place(active.hash, active.opened);
      this.#active.set(workflow, placed);
      return placed.outside;
    };
    return {
      read: (call, signal, onFrame) => now().read(call, signal, onFrame),
      describe: (call) => now().describe(call),
      send: (call, mayGo, signal, onFrame) => now().send(call, mayGo, signal, onFrame),
      reconcile: (call, signal) => now().reconcile(call, signal),
      openExact: (call, given) => now().openExact(call, given),
      closeExact: (call, result) => now().closeExact(call, result),
      compare: (call, payloads) => now().compare(call, payloads),
      goesTo: (call) => now().goesTo(call),
      keyedOf: (call) => now().keyedOf(call),
      isMetered: (call) => now().isMetered(call),
      executorOf: (call) => now().executorOf(call),
      riskOf: (call) => now().riskOf(call),
    };
  }

  async #open(workflow: string, hash: Hash): Promise<OpenedScript> {
    const known = this.#opened.get(hash);
    if (known !== undefined) {
      this.#opened.delete(hash);
      this.#opened.set(hash, known);
      return known;
    }
    const { store, workshop } = this.#parts;
    const opening = store.loadBlob(workflow, hash).then((bytes) => workshop.open(bytes));
    this.#opened.set(hash, opening);
    const [oldest] = this.#opened.keys();
    if (this.#opened.size > openedMax && oldest !== undefined) this.#opened.delete(oldest);
    // What failed once may come right: the store may only have been away.
    opening.catch(() => this.#opened.delete(hash));
    return opening;
  }

  #place(hash: Hash, opened: OpenedScript): Placed {
    const { accounts } = this.#parts;
    const { changeCount } = accounts;
    const kinds: Connections = accounts.kindsOf(opened.manifest.connections);
    const [script, outside] = [opened.host(kinds), this.#worldOf(opened)];
    return { hash, opened, script, outside, changeCount };
  }

  #worldOf({ manifest }: OpenedScript): ConnectedWorld {
    const { accounts, secrets, now, random, timers, desk } = this.#parts;
    return new ConnectedWorld({
      connections: accounts.connectionsOf(manifest.connections),
      rests: this.#rests,
      now,
      timers,
      random,
      secrets: secrets.of(manifest.secrets ?? []),
      ...(desk && { desk }),
    });
  }
}
