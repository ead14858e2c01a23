import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { HostError } from "@holdfast/core";

const keyBytes = 32;

/** Where the key of sealed credentials is. */
export type KeyPlace =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "file"; readonly path: string }
  /** No variable names one, and there is no data folder. */
  | { readonly kind: "none" };

export function keyPlaceOf(
  environment: Readonly<Record<string, string | undefined>>,
  folder: string | null,
): KeyPlace {
  /** An empty variable is what an unset one becomes on its way through other tools. */
  const text = environment["HOLDFAST_KEY"] || null;
  if (text !== null) return { kind: "text", text };
  const path = environment["HOLDFAST_KEY_FILE"] || null;
  if (path !== null) return { kind: "file", path };
  return folder === null ? { kind: "none" } : { kind: "file", path: join(folder, "key") };
}

/** Throws SECRET_UNREADABLE. */
export function readKey(place: KeyPlace): Uint8Array {
  switch (place.kind) {
    case "text":
      return decodeKey(place.text, "HOLDFAST_KEY");
    case "file":
      return decodeKey(readFile(place.path), `the file ${place.path}`);
    case "none":
      throw unreadable("there is no key: neither HOLDFAST_KEY nor HOLDFAST_KEY_FILE is set");
  }
}

/** Makes the file if it is not there yet; only the user who runs the host may read it. */
export function readOrMakeKey(place: KeyPlace): Uint8Array {
  if (place.kind === "file") makeKeyFile(place.path);
  return readKey(place);
}

function makeKeyFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const text = randomBytes(keyBytes).toString("base64url");
  try {
    // Fails if it is there: what was sealed with it could never be read again.
    writeFileSync(path, `${text}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code = "it cannot be read" } = error as NodeJS.ErrnoException;
    throw unreadable(`the key is not to be had from ${path} (${code})`);
  }
}

function decodeKey(text: string, place: string): Uint8Array {
  const key = Buffer.from(text.trim(), "base64url");
  // Compared, because decoding leaves out what it does not know.
  const isWhole = key.toString("base64url") === text.trim() && key.length === keyBytes;
  if (!isWhole) throw unreadable(`${place} does not hold ${keyBytes} bytes in base64url`);
  return key;
}

export function unreadable(what: string): HostError {
  return new HostError("SECRET_UNREADABLE", {
    what: `A sealed credential cannot be used: ${what}.`,
    remedy:
      "Give the host the key it was sealed with, or seal it again with `holdfast secrets seal`.",
    retry: "safe",
  });
}
