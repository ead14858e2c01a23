import { useSyncExternalStore } from "react";

/** A value that changes outside of React; whoever shows it is drawn again. */
export class OutsideState<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  readonly read = (): T => this.#value;

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }

  readonly listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

export function useOutside<T>(state: OutsideState<T>): T {
  return useSyncExternalStore(state.listen, state.read);
}
