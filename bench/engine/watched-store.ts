import type { Change, Store } from "@holdfast/core";

export type StoreCallName = Exclude<keyof Store, "storeIncarnation" | "restoredFrom">;

/** A store that tells of every call before it is made, and of every change once it is durable. */
export function watchStore(
  store: Store,
  watcher: {
    readonly onCall?: (name: StoreCallName) => void;
    readonly onDurable?: (change: Change) => void;
  },
): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...given: unknown[]) => {
        watcher.onCall?.(name as StoreCallName);
        const answer: unknown = member.apply(target, given);
        if (name === "commit") void tellDurable(given, answer, watcher.onDurable);
        return answer;
      };
    },
  });
}

async function tellDurable(
  [changes]: readonly unknown[],
  answer: unknown,
  tell: ((change: Change) => void) | undefined,
): Promise<void> {
  const answers = await (answer as ReturnType<Store["commit"]>);
  for (const [index, change] of (changes as readonly Change[]).entries()) {
    if (answers[index]?.kind === "committed") tell?.(change);
  }
}
