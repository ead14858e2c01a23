import { fileURLToPath } from "node:url";

const entry = fileURLToPath(new URL("../guest/index.ts", import.meta.url));

/** Put in its place when the program is built; where its sources run it is not there. */
declare const holdfastGuestCode: string | undefined;

let made: Promise<string> | null = null;

/** The guest's own part, with the SDK, as one expression. The same for the life of the process. */
export function guestCode(): Promise<string> {
  made ??=
    typeof holdfastGuestCode === "string"
      ? Promise.resolve(holdfastGuestCode)
      : bundleGuest().then(({ code }) => code);
  return made;
}

/** Also what it was made of, from the root that is given. */
export async function bundleGuest(
  root = "/",
): Promise<{ readonly code: string; readonly sources: readonly string[] }> {
  const { build } = await import("esbuild");
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    absWorkingDir: root,
    metafile: true,
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
  const code = `(() => { "use strict"; ${output.text}\nreturn holdfastGuest.parts; })()`;
  return { code, sources: Object.keys(metafile.inputs) };
}
