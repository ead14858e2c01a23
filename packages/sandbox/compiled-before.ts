import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";

/**
 * All that a thread or process beside this one gets of the environment: where the sources lie that
 * this one has compiled. Without it each would spend more on reading its code than on running it.
 */
export function compiledBefore(): Readonly<Record<string, string>> {
  // Absent unless the program asked for one. The last part names the version of Node.
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
