import { readScript as readFiles, type ScriptSource, ScriptUnreadable } from "@holdfast/sandbox";
import { UsageError } from "./store-place.ts";

/** A file that cannot be read is a mistake on the command line. */
export function readScript(path: string): ScriptSource {
  try {
    return readFiles(path);
  } catch (error) {
    throw error instanceof ScriptUnreadable ? new UsageError(error.message) : error;
  }
}
