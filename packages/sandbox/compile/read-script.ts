import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { basename, dirname, join, posix, relative, sep } from "node:path";
import type { ScriptSource } from "./script-source.ts";

/** Local imports, found without parsing: what is taken for one in vain is simply not there. */
const localImport = /(?:from|import)\s*["'](\.{1,2}\/[^"']+)["']/g;
/** Far beyond what a script may have; what is longer is refused by its length, and not read. */
const fileBytesMax = 16 * 1024 * 1024;
/** Likewise for the number of files: the validator refuses far fewer. */
const filesMax = 1_000;

/** There is no such file, or it is nothing a script could be in. */
export class ScriptUnreadable extends Error {
  override readonly name = "ScriptUnreadable";
}

/** A script with the files beside it that it imports. Nothing outside its folder is read. */
export function readScript(path: string): ScriptSource {
  const folder = dirname(path);
  const entry = basename(path);
  const text = readText(path);
  if (text === null) throw new ScriptUnreadable(`${path} cannot be read`);
  const files = new Map([[entry, text]]);
  const waiting = importsOf(entry, text);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (files.has(name) || files.size > filesMax || !liesIn(folder, name)) continue;
    const imported = readText(join(folder, name));
    if (imported === null) continue;
    files.set(name, imported);
    waiting.push(...importsOf(name, imported));
  }
  return { entry, files: Object.fromEntries(files) };
}

/** Names that the imports of a file may mean; those that leave the script are left out. */
function importsOf(name: string, text: string): string[] {
  return [...text.matchAll(localImport)].flatMap(([, specifier = ""]) => {
    const imported = posix.join(posix.dirname(name), specifier);
    return imported.startsWith("..") ? [] : candidates(imported);
  });
}

/** As written, without its ending, or by the name it has when it is compiled. */
function candidates(path: string): readonly string[] {
  const names = [path, `${path}.ts`, `${path}.js`, path.replace(/\.(m?)js$/, ".$1ts")];
  return names.filter((each) => /\.m?[jt]s$/.test(each));
}

/** Whether the file is in the folder also after all links; a script may not reach out by one. */
function liesIn(folder: string, name: string): boolean {
  try {
    const way = relative(realpathSync(folder), realpathSync(join(folder, name)));
    return way.split(sep)[0] !== "..";
  } catch {
    return false;
  }
}

/** Null = there is no such file. */
function readText(path: string): string | null {
  let file: number | null = null;
  try {
    // Without waiting: opening a pipe that nobody writes to would last for ever.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const status = fstatSync(file);
    if (status.isDirectory()) return null;
    if (!status.isFile()) throw new ScriptUnreadable(`${path} cannot be read (not a file)`);
    if (status.size > fileBytesMax) throw new ScriptUnreadable(`${path} is too large for a script`);
    return decoded(path, readBytes(file, status.size));
  } catch (error) {
    if (error instanceof ScriptUnreadable) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new ScriptUnreadable(`${path} cannot be read (${code})`);
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** Exactly what the length promised: a file that grows meanwhile is cut, not followed. */
function readBytes(file: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let read = 0;
  for (let more = 1; more > 0 && read < length; read += more) {
    more = readSync(file, bytes, read, length - read, null);
  }
  return bytes.subarray(0, read);
}

/** Bytes that are no text would be replaced in silence, and another script would be validated. */
function decoded(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ScriptUnreadable(`${path} is not text in UTF-8`);
  }
}
