import { readFileSync } from "node:fs";
import type { Connected, Connector, Declared } from "@holdfast/connector-kit";
import type { Connections, OperationKind } from "@holdfast/core";
import { HostError } from "@holdfast/core";
import { effectsOf } from "./connector-effects.ts";
import { KeptCredentials } from "./kept-credentials.ts";
import type { DeclaredConnection } from "./ports.ts";
import type { KeyPlace } from "./seal/key.ts";
import { unsealAll } from "./seal/unseal-all.ts";

type Connectors = Readonly<Record<string, Connector>>;

/** The accounts this host may use, each known by its name to whoever deploys scripts. */
export class Accounts {
  readonly #connectors: Connectors;
  readonly #read: () => ReadonlyMap<string, Connected>;
  readonly #forget: (name: string) => void;
  #accounts: ReadonlyMap<string, Connected>;
  #changeCount = 0;

  /** `forget` is told of an account that is gone for good. */
  constructor(
    connectors: Connectors,
    read: () => ReadonlyMap<string, Connected>,
    forget: (name: string) => void = () => {},
  ) {
    this.#connectors = connectors;
    this.#read = read;
    this.#forget = forget;
    this.#accounts = read();
  }

  /** Whoever holds a connection from before the last change has to ask for it again. */
  get changeCount(): number {
    return this.#changeCount;
  }

  /**
   * This account is from now on as the file has it now, the others are as they were. False = the
   * file has none of that name. Throws ACCOUNTS_UNUSABLE, and changes nothing then.
   */
  readAgain(name: string): boolean {
    const mended = this.#read().get(name);
    if (mended === undefined) return false;
    this.#accounts = new Map(this.#accounts).set(name, mended);
    this.#changeCount += 1;
    return true;
  }

  /**
   * One that the file has no more is gone from now on, with what was kept in its place; nothing
   * that begins later is signed in with it. Throws ACCOUNTS_UNUSABLE, and changes nothing then.
   */
  revoke(name: string): "revoked" | "in_file" | "unknown" {
    if (this.#read().has(name)) return "in_file";
    if (!this.#accounts.has(name)) return "unknown";
    const left = [...this.#accounts].filter(([each]) => each !== name);
    this.#accounts = new Map(left);
    this.#changeCount += 1;
    this.#forget(name);
    return "revoked";
  }

  /** What `validate` may know of this host. */
  get known() {
    const kinds = Object.entries(this.#connectors).map(([name, each]) => [name, each.kinds]);
    const accounts = [...this.#accounts].map(([name, { connector }]) => [name, connector]);
    return {
      connectors: Object.fromEntries(kinds) as Connections,
      connections: Object.fromEntries(accounts) as Readonly<Record<string, string>>,
      effects: Object.values(this.#connectors).flatMap(effectsOf),
    };
  }

  /** Those a script declares, by its names for them; then every other account by its own. */
  connectionsOf(declared: readonly DeclaredConnection[]): ReadonlyMap<string, Connected> {
    const connections = new Map(this.#accounts);
    for (const each of declared) {
      const account = this.#find(each);
      if (account === null) connections.delete(each.name);
      else connections.set(each.name, account);
    }
    return connections;
  }

  /** Also of those whose account is not here: using one is then explained, and not a mistake. */
  kindsOf(declared: readonly DeclaredConnection[]): Connections {
    const kinds: Record<string, Readonly<Record<string, OperationKind>>> = {};
    for (const [name, { connector }] of this.#accounts) {
      kinds[name] = this.#connectors[connector]?.kinds ?? {};
    }
    for (const { name, connector } of declared) {
      kinds[name] = this.#connectors[connector]?.kinds ?? {};
    }
    return kinds;
  }

  /** What its connectors say of their operations, by the names as above. */
  declaredOf(
    declared: readonly DeclaredConnection[],
  ): ReadonlyMap<string, Readonly<Record<string, Declared>>> {
    const found = new Map<string, Readonly<Record<string, Declared>>>();
    const known = [...this.#accounts].map(([name, { connector }]) => ({ name, connector }));
    for (const { name, connector } of [...known, ...declared]) {
      found.set(name, this.#connectors[connector]?.declared ?? {});
    }
    return found;
  }

  /** Of this name; null = there is none. */
  named(name: string): Connected | null {
    return this.#accounts.get(name) ?? null;
  }

  /** Declared connections whose account this host does not have, in words. */
  missing(declared: readonly DeclaredConnection[]): readonly string[] {
    return declared
      .filter((each) => this.#find(each) === null)
      .map(({ name, connector, account }) => {
        const wanted = account === null ? `one account of ${connector}` : `the account ${account}`;
        return `${name} needs ${wanted}`;
      });
  }

  #find({ connector, account }: DeclaredConnection): Connected | null {
    if (account !== null) {
      const found = this.#accounts.get(account);
      return found?.connector === connector ? found : null;
    }
    const all = [...this.#accounts.values()].filter((each) => each.connector === connector);
    return all.length === 1 ? (all[0] ?? null) : null;
  }
}

/** `{ "<account>": { "connector": "http", … } }`; null = this host has none. */
export function readAccounts(
  path: string | null,
  connectors: Connectors,
  keyPlace: KeyPlace,
): Accounts {
  if (path === null) return new Accounts(connectors, () => new Map());
  const kept = new KeptCredentials(`${path}.renewed`, keyPlace);
  const read = () => connectAll(path, { connectors, keyPlace, kept });
  return new Accounts(connectors, read, (name) => kept.forget(name));
}

type AccountParts = {
  readonly connectors: Connectors;
  readonly keyPlace: KeyPlace;
  readonly kept: KeptCredentials;
};

function connectAll(
  path: string,
  { connectors, keyPlace, kept }: AccountParts,
): ReadonlyMap<string, Connected> {
  const accounts = new Map<string, Connected>();
  for (const [name, given] of Object.entries(readSealed(path, keyPlace))) {
    const wanted = (given as { connector?: unknown } | null)?.connector;
    const connector = typeof wanted === "string" ? connectors[wanted] : undefined;
    if (connector === undefined) {
      const known = Object.keys(connectors).join(", ");
      throw unusable(path, `${name} names the connector ${String(wanted)}; there is: ${known}`);
    }
    try {
      accounts.set(name, connector.connect(name, given, kept.of(name)));
    } catch (error) {
      throw unusable(path, `${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return accounts;
}

export function readSealed(path: string, keyPlace: KeyPlace): object {
  const entries = Object.entries(parseFile(path)).map(([name, given]) => {
    return [name, unsealAll(given, keyPlace, name)];
  });
  return Object.fromEntries(entries);
}

export function parseFile(path: string): object {
  try {
    const read: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof read === "object" && read !== null && !Array.isArray(read)) return read;
  } catch (error) {
    // Not what the parser says: it may quote a secret.
    const { code } = error as NodeJS.ErrnoException;
    throw unusable(path, code === undefined ? "it is not JSON" : `it cannot be read (${code})`);
  }
  throw unusable(path, "it does not hold an object");
}

export function unusable(path: string, why: string): HostError {
  return new HostError("ACCOUNTS_UNUSABLE", {
    what: `The file ${path} cannot be used: ${why}.`,
    remedy: "Correct the file, then do it again; nothing was started or changed.",
    retry: "safe",
    details: { path },
  });
}
