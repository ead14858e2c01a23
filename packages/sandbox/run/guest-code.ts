import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const entry = fileURLToPath(new URL("../guest/index.ts", import.meta.url));

let made: Promise<string> | null = null;

/** The guest's own part, with the SDK, as one expression. The same for the life of the process. */
export function guestCode(): Promise<string> {
  made ??= bundle();
  return made;
}

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "holdfastGuest",
    target: "es2023",
    platform: "neutral",
    tsconfigRaw: {},
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: "silent",
  });
  const [output] = outputFiles;
  if (output === undefined) throw new Error("The guest's own part was not built.");
  return `(() => { "use strict"; ${output.text}\nreturn holdfastGuest.parts; })()`;
}
