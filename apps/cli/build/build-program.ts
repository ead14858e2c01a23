import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundleGuest } from "@holdfast/sandbox/engine";
import { build, type Plugin } from "esbuild";
import { builtPlace, type Made, root, type SourceState } from "../open-program.ts";

const entryPoints = {
  program: fileURLToPath(new URL("../program.ts", import.meta.url)),
  "first-run": fileURLToPath(new URL("../first-run/main.ts", import.meta.url)),
};
/** They bring files of their own, which they look for where they are. */
const external = ["esbuild", "oxc-parser", "vite", "@vitejs/*", "pg-native"];
/** Of what was installed, only that it is still the same counts. */
const installed = "node_modules/.package-lock.json";
/** Clocks of files are not exact. */
const justNowMs = 100;
/** npm writes down what it installed just before it has us build; a second look finds that old. */
const triesMax = 3;
const digestChars = 16;

/** Puts the program together into few files; that they are the newest is said last, and at once. */
export async function buildProgram(): Promise<void> {
  for (let tries = 1; tries <= triesMax; tries++) {
    if (await buildFromSteady()) return;
  }
  throw new Error("a source was changed meanwhile; run `npm run build`");
}

/** false = a source is so new that what was built may be of what it was before. */
async function buildFromSteady(): Promise<boolean> {
  const startedAt = Date.now();
  const work = join(builtPlace, `work-${process.pid}`);
  const guest = await bundleGuest(root);
  const { metafile } = await build({
    entryPoints,
    outdir: work,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    external,
    metafile: true,
    absWorkingDir: root,
    tsconfigRaw: {},
    // Some libraries ask for their parts in the old way.
    banner: { js: requireHere },
    define: { "import.meta.url": ownUrl, holdfastGuestCode: JSON.stringify(guest.code) },
    plugins: [whereItWas],
    logLevel: "warning",
  });
  const inputs = new Set([...Object.keys(metafile.inputs), ...guest.sources]);
  const own = [...inputs].filter((path) => !path.includes("node_modules/"));
  const sources = [...own, installed].map(stateOf);
  const isSteady = sources.every(([, , modifiedMs]) => modifiedMs < startedAt - justNowMs);
  if (isSteady) keep(work, { folder: digestOf(sources), sources });
  else rmSync(work, { recursive: true });
  return isSteady;
}

function keep(work: string, made: Made): void {
  const [place, note] = [join(builtPlace, made.folder), join(builtPlace, "made.json")];
  rmSync(place, { recursive: true, force: true });
  renameSync(work, place);
  writeFileSync(`${note}.new`, JSON.stringify(made));
  renameSync(`${note}.new`, note);
  removeOld(made.folder);
}

const ownUrl = "holdfastOwnUrl";
const requireHere =
  'import { createRequire as holdfastCreateRequire } from "node:module";' +
  "const require = holdfastCreateRequire(import.meta.url);";

/** Threads, examples and the page lie beside the sources, and are found from there. */
const whereItWas: Plugin = {
  name: "where-it-was",
  setup(hooks) {
    hooks.onLoad({ filter: /\.[jt]s$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (!text.includes("import.meta.url")) return null;
      const url = JSON.stringify(pathToFileURL(path).href);
      const loader = path.endsWith(".ts") ? "ts" : "js";
      return { contents: `const ${ownUrl} = ${url};${text}`, loader };
    });
  },
};

function stateOf(path: string): SourceState {
  const { size, mtimeMs } = statSync(join(root, path));
  return [path, size, mtimeMs];
}

function digestOf(sources: readonly SourceState[]): string {
  return createHash("sha256").update(JSON.stringify(sources)).digest("hex").slice(0, digestChars);
}

/** A program that runs may still read the one before. */
function removeOld(newest: string): void {
  const others = readdirSync(builtPlace, { withFileTypes: true })
    .filter((each) => each.isDirectory() && each.name !== newest)
    .map(({ name }) => ({ path: join(builtPlace, name), at: statSync(join(builtPlace, name)) }))
    .toSorted((a, b) => b.at.mtimeMs - a.at.mtimeMs);
  for (const { path } of others.slice(1)) rmSync(path, { recursive: true, force: true });
}
