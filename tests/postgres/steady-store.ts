import {
  type ClaimAnswer,
  HostError,
  type Owned,
  type Rows,
  type Store,
  type TableName,
} from "@holdfast/core";

/** A connection is cut once, and a few more calls may still meet its consequences. */
const triesMax = 10;
/** More workflows than any life has. */
const everything = 1_000;

/**
 * Calls that may be made again whatever became of the first: they read, or say the same thing, or
 * ask for what is so already. Not here: `commit`, which may have landed, and `openHost`, whose
 * name may be taken by then.
 */
const repeatable: ReadonlySet<string | symbol> = new Set<keyof Store>([
  "createWorkflow",
  "load",
  "peek",
  "loadBlob",
  "loadParts",
  "listParts",
  "sweepParts",
  "appendCommand",
  "readInbox",
  "findVerdict",
  "turnStoreBrake",
  "tellOfStoreBrake",
  "findStoreBrake",
  "heartbeat",
  "nextDueAt",
  "census",
  "readJournal",
  "readTraces",
  "pruneTraces",
  "listWorkflows",
  "readChanges",
  "listAttentions",
  "listAwaiting",
  "listRows",
  "countRows",
]);

function isUnreachable(error: unknown): boolean {
  return error instanceof HostError && error.code === "STORE_UNREACHABLE";
}

async function again<T>(
  call: () => Promise<T>,
  mayRepeat: (error: unknown) => boolean = isUnreachable,
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await call();
    } catch (error) {
      if (tried === triesMax || !mayRepeat(error)) throw error;
    }
  }
}

/** Nothing was sent, or nothing was kept: only then is a commit the same commit again. */
function isSafe(error: unknown): boolean {
  return isUnreachable(error) && error instanceof HostError && error.retry === "safe";
}

/** The store as a host calls it that means to go on when a connection is lost. */
export function steady(store: Store): Store {
  const holdings = new Holdings(store);
  const own: Partial<Store> = {
    claim: (incarnation, limit) => holdings.claim(incarnation, limit),
    release: (incarnation, owned) => holdings.release(incarnation, owned),
    closeHost: (incarnation) => again(() => store.closeHost(incarnation)),
    commit: (changes) => again(() => store.commit(changes), isSafe),
    scan: (workflow, table) => scanAll(store, workflow, table),
  };
  // A store hides its parts in private fields, so its own methods must see the store itself.
  return new Proxy(store, {
    get: (target, name) => {
      if (name in own) return Reflect.get(own, name);
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (!repeatable.has(name)) return member.bind(target);
      return (...given: readonly unknown[]) => again(() => member.apply(target, given));
    },
  });
}

/** Who has read half of the rows begins again. */
async function* scanAll<T extends TableName>(
  store: Store,
  workflow: string,
  table: T,
): AsyncIterable<Rows[T]> {
  yield* await again(async () => {
    const rows: Rows[T][] = [];
    for await (const row of store.scan(workflow, table)) rows.push(row);
    return rows;
  });
}

/** What the host knows to be its own; the store may count more, when an answer was lost. */
class Holdings {
  readonly #store: Store;
  readonly #held = new Set<string>();
  /** A claim whose answer was lost may be carried out at any time from then on. */
  #expectsStrays = false;

  constructor(store: Store) {
    this.#store = store;
  }

  async claim(incarnation: string, limit: number): Promise<ClaimAnswer> {
    const claims = new Map<string, ClaimAnswer["claims"][number]>();
    for (let tried = 1; ; tried += 1) {
      try {
        const answer = await this.#store.claim(incarnation, limit);
        for (const claim of answer.claims) {
          claims.set(claim.workflow, claim);
          this.#held.add(claim.workflow);
        }
        const isAll = !this.#expectsStrays || (await this.#hasAll(incarnation));
        if (isAll) return { claims: [...claims.values()], tooNew: answer.tooNew };
      } catch (error) {
        if (tried === triesMax || !isUnreachable(error)) throw error;
        this.#expectsStrays = true;
      }
    }
  }

  /** False = a claim whose answer was lost took something, or is just about to. */
  async #hasAll(incarnation: string): Promise<boolean> {
    // In this order: what was still free then and is not ours now was taken in between.
    const dueAt = await again(() => this.#store.nextDueAt());
    const strayCount = await this.#letStraysGo(incarnation);
    return dueAt === null && strayCount === 0;
  }

  async release(incarnation: string, owned: Owned): Promise<void> {
    this.#held.delete(owned.workflow);
    await again(() => this.#store.release(incarnation, owned));
  }

  async #letStraysGo(incarnation: string): Promise<number> {
    const found = await again(() => this.#store.listWorkflows(null, everything));
    const strays = found.filter(
      ({ workflow, owner }) => owner === incarnation && !this.#held.has(workflow),
    );
    for (const owned of strays) await again(() => this.#store.release(incarnation, owned));
    return strays.length;
  }
}
