import { join } from "node:path";
import { openSqliteStore } from "@holdfast/store/sqlite";
import { checkStore } from "./check-store.ts";
import { Outside } from "./outside.ts";
import type { Testimony } from "./testimony.ts";

/**
 * Opens what a dead child left and compares it with what the child had said. `finished` = the last
 * life came to its end, so that nothing may be left to do. Answers with what is wrong.
 */
export async function checkFolder(
  folder: string,
  testimony: Testimony,
  { finished }: { readonly finished: boolean },
): Promise<string[]> {
  const store = await openSqliteStore({
    folder: join(folder, "data"),
    clock: () => 0,
    newIncarnation: () => "store-2",
    // What death left is looked at in a copy.
    acceptRestored: !finished,
  });
  try {
    const outside = new Outside(join(folder, "outside"));
    return await checkStore(store, { testimony, outside, finished });
  } finally {
    await store.close();
  }
}
