import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { pageIcons } from "./page-icons.ts";
import { placeOfPage, webFolder } from "./page-place.ts";

const brotli = promisify(brotliCompress);
const zipped = promisify(gzip);

/** Builds the page unless it is there. Several may do so at once: all of them build the same. */
export async function buildPage(say: (line: string) => void): Promise<string> {
  const place = placeOfPage();
  if (existsSync(place)) return place;
  say("Building the page (once, some seconds) …");
  const beside = `${place}.${process.pid}`;
  try {
    await bundle(beside);
    await compressAll(join(beside, "assets"));
    await putInPlace(beside, place);
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
  await forgetOthers(place);
  return place;
}

async function bundle(outDir: string): Promise<void> {
  // Else a host that is started by a test would leave a page for developers behind, for everybody.
  process.env["NODE_ENV"] = "production";
  const { build } = await import("vite");
  const { default: react } = await import("@vitejs/plugin-react");
  await build({
    root: webFolder,
    configFile: false,
    logLevel: "warn",
    plugins: [react()],
    build: {
      outDir,
      emptyOutDir: true,
      target: "es2023",
      // What is inlined would need a weaker policy of contents.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
  await mkdir(join(outDir, "assets"), { recursive: true });
  for (const [name, text] of Object.entries(pageIcons())) {
    await writeFile(join(outDir, "assets", name), text);
  }
}

async function compressAll(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const bytes = await readFile(join(folder, name));
    await writeFile(join(folder, `${name}.br`), await brotli(bytes));
    await writeFile(join(folder, `${name}.gz`), await zipped(bytes));
  }
}

async function putInPlace(beside: string, place: string): Promise<void> {
  await mkdir(dirname(place), { recursive: true });
  await rename(beside, place).catch((error: NodeJS.ErrnoException) => {
    // Somebody else was quicker, with the same.
    if (!existsSync(place)) throw error;
  });
}

/** Hosts that run have what they serve in memory. */
async function forgetOthers(place: string): Promise<void> {
  const folder = dirname(place);
  const finished = /^[0-9a-f]+$/;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (finished.test(name) && path !== place) await rm(path, { recursive: true, force: true });
  }
}
