import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** What build/build-program.ts leaves there. */
export const builtPlace = fileURLToPath(new URL("./dist/", import.meta.url));
export const root = fileURLToPath(new URL("../../", import.meta.url));

export type SourceState = readonly [path: string, size: number, modifiedMs: number];

export type Made = {
  /** The newest, in the place of those that were built. */
  readonly folder: string;
  /** All that it was built from, from the root. */
  readonly sources: readonly SourceState[];
};

/**
 * The program as few files, where it was built from the sources as they are now; else the sources.
 * Reading a thousand of them takes longer than most commands.
 */
export async function openProgram(name: string, source: string): Promise<void> {
  const built = findBuilt();
  await import(built === null ? source : `${builtPlace}${built}/${name}.js`);
}

/** Its folder; null = there is none, or a source has changed since. */
export function findBuilt(place = builtPlace, sourcesPlace = root): string | null {
  const made = readMade(place);
  const isUnchanged = ([path, size, modifiedMs]: SourceState) => {
    const found = statSync(sourcesPlace + path, { throwIfNoEntry: false });
    return found?.size === size && found.mtimeMs === modifiedMs;
  };
  return made?.sources.every(isUnchanged) === true ? made.folder : null;
}

function readMade(place: string): Made | null {
  try {
    return JSON.parse(readFileSync(`${place}made.json`, "utf8")) as Made;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
