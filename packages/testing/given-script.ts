import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { readScript, type ScriptSource, ScriptUnreadable } from "@holdfast/sandbox";
import { TestError } from "./test-error.ts";

/** The path or address of a file, the text of one, or several files by name. */
export type GivenScript = string | URL | { readonly text: string } | ScriptSource;

const entryOfText = "script.ts";

export function sourceOf(given: GivenScript): ScriptSource {
  if (typeof given === "object" && "text" in given) {
    return { entry: entryOfText, files: { [entryOfText]: given.text } };
  }
  if (typeof given === "object" && "files" in given) return given;
  const path = typeof given === "string" ? given : fileURLToPath(given);
  if (path.includes("\n")) {
    const why = "script is the path of a file; hand the text itself in as { text }";
    throw new TestError("test_invalid", why);
  }
  try {
    return readScript(path);
  } catch (error) {
    if (!(error instanceof ScriptUnreadable)) throw error;
    throw new TestError("test_invalid", `${basename(path)}: ${error.message}`, { cause: error });
  }
}
