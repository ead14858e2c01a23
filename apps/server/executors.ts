import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { HostError } from "@holdfast/core";
import { type ListedExecutor, moduleOf } from "@holdfast/host";
import { z } from "zod";

const text = z.string().min(1);

/** By the connector's name: whose word a receipt of it is. */
export const executorsShape = z.record(
  text,
  z
    .strictObject({
      /** Ed25519, as base64 of their DER form; those that are no longer used may stay. */
      publicKeys: z.array(text).min(1),
      /** PEM with the private half of one of them: what is signed with from now on. */
      keyFile: text.optional(),
      /** Of another process, which executes every call of the connector and signs itself. */
      tokens: z.array(text).min(1).optional(),
    })
    .refine(({ keyFile, tokens }) => (keyFile === undefined) !== (tokens === undefined), {
      message: "needs a keyFile, or the tokens of who executes it elsewhere, and not both",
      path: ["keyFile"],
    }),
);

export type ExecutorsConfig = z.output<typeof executorsShape>;

/** What the config lists, and the folder its paths lead from; a path = a file that has it. */
export type ExecutorsPlace =
  | { readonly listed: ExecutorsConfig; readonly folder: string }
  | { readonly file: string };

export type ReadExecutors = {
  readonly listed: readonly ListedExecutor[];
  /** The tokens of those that are executed elsewhere, by connector. */
  readonly remote: ReadonlyMap<string, readonly string[]>;
};

/** Throws what keeps a host from starting: a receipt must not be signed by who knows whom. */
export function readExecutors(place: ExecutorsPlace | null): ReadExecutors {
  if (place === null) return { listed: [], remote: new Map() };
  const { listed, folder } = "listed" in place ? place : readFile(place.file);
  const owners = new Map<string, string>();
  const remote = new Map<string, readonly string[]>();
  const all = Object.entries(listed).map(([connector, { publicKeys, keyFile, tokens }]) => {
    const keys = publicKeys.map((each) => publicKeyOf(connector, each));
    for (const key of keys) {
      const id = Buffer.from(key).toString("base64");
      const owner = owners.get(id) ?? connector;
      if (owner !== connector) throw unusable(`${owner} and ${connector} have the same key`);
      owners.set(id, connector);
    }
    const module = moduleOf(connector);
    if (keyFile === undefined) {
      remote.set(connector, tokens ?? []);
      return { module, publicKeys: keys, secret: null };
    }
    const secret = privateKeyIn(connector, resolve(folder, keyFile));
    const own = derOf(createPublicKey(secret));
    if (!keys.some((key) => Buffer.compare(key, own) === 0)) {
      throw unusable(`the key in ${keyFile} is none of those that are listed for ${connector}`);
    }
    return { module, publicKeys: keys, secret };
  });
  return { listed: all, remote };
}

function readFile(file: string): { readonly listed: ExecutorsConfig; readonly folder: string } {
  try {
    const listed = executorsShape.parse(JSON.parse(readFileSync(file, "utf8")));
    return { listed, folder: dirname(file) };
  } catch (cause) {
    throw unusable(`${file} does not list keys by connector`, cause);
  }
}

function publicKeyOf(connector: string, given: string): Uint8Array {
  try {
    const der = Buffer.from(given, "base64");
    const key = createPublicKey({ key: der, format: "der", type: "spki" });
    if (key.asymmetricKeyType === "ed25519") return derOf(key);
  } catch (cause) {
    throw unusable(`a public key of ${connector} is none`, cause);
  }
  throw unusable(`a public key of ${connector} is not of Ed25519`);
}

function privateKeyIn(connector: string, path: string): KeyObject {
  try {
    return createPrivateKey(readFileSync(path));
  } catch (cause) {
    throw unusable(`the key file of ${connector}, ${path}, cannot be read`, cause);
  }
}

function derOf(key: KeyObject): Uint8Array {
  return new Uint8Array(key.export({ format: "der", type: "spki" }));
}

function unusable(what: string, cause?: unknown): HostError {
  return new HostError("EXECUTORS_UNUSABLE", {
    what: `${what}.`,
    remedy: "Correct it, then start again; nothing was started or changed.",
    retry: "safe",
    cause,
  });
}
