import type { Store } from "@holdfast/core";

/** Does something behind the back of whoever scans; `isTime` is told how many scans began. */
export function withIntruder(
  store: Store,
  isTime: (scanCount: number) => boolean,
  intrude: () => Promise<unknown>,
): Store {
  let scanCount = 0;
  return {
    ...store,
    scan: async function* (workflow, table) {
      scanCount += 1;
      if (isTime(scanCount)) await intrude();
      yield* store.scan(workflow, table);
    },
  };
}
