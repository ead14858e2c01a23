import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** What the page is built from. */
export const webFolder = fileURLToPath(new URL("../../web/", import.meta.url));
const protocolFolder = fileURLToPath(new URL("../../../packages/protocol/", import.meta.url));
const builders = ["build-page.ts", "page-icons.ts", "page-place.ts", "../package.json"];

const builtFolder = join(webFolder, "dist");
const digestChars = 16;

/**
 * Where the page lies once it is built. The place is named after what it was built from, so a page
 * that is there is the right one: nothing is compared by time, and no build is ever half replaced.
 */
export function placeOfPage(): string {
  return join(builtFolder, digestOfSources());
}

function digestOfSources(): string {
  const hash = createHash("sha256");
  const own = builders.map((name) => fileURLToPath(new URL(name, import.meta.url)));
  for (const path of [...filesIn(webFolder), ...filesIn(protocolFolder), ...own]) {
    hash
      .update(`${path.slice(webFolder.length)}\n`)
      .update(readFileSync(path))
      .update("\0");
  }
  return hash.digest("hex").slice(0, digestChars);
}

const notSources = new Set(["node_modules", "dist"]);

function filesIn(folder: string): readonly string[] {
  const found: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (notSources.has(entry.name)) continue;
    if (entry.isDirectory()) found.push(...filesIn(path));
    else if (!entry.name.includes(".test.")) found.push(path);
  }
  return found.toSorted();
}
