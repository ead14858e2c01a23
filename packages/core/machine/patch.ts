/** What one version does to the definitions of another, as a list of operations. */
import { contentHash, type Hash } from "../canonical/index.ts";
import type { MachineSet } from "./machine-set.ts";

export type PatchOp = {
  readonly op: "add_def" | "replace_def" | "remove_def" | "set_subscriptions";
  readonly kind: PatchKind;
  readonly name: string;
  /** What it is in the version that it was made against; null = it is not there. */
  readonly preHash: Hash | null;
  /** Null = it is there no more. */
  readonly hash: Hash | null;
};

export type PatchKind = "machine" | "topic" | "effect";

const sections = {
  machine: "machines",
  topic: "topics",
  effect: "effects",
} as const satisfies Readonly<Record<PatchKind, string>>;

export type Patch = {
  readonly ops: readonly PatchOp[];
  readonly definitions: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
  /** `routing`: where machines are subscribed; `code`: what stands in no definition. */
  readonly sections: readonly string[];
};

/** In order: by kind, then by name, then where machines are subscribed. */
export function patchOf(before: MachineSet, after: MachineSet): Patch {
  const ops = [
    ...opsOf("machine", hashesOf(before.machines), hashesOf(after.machines)),
    ...opsOf("topic", topicHashes(before), topicHashes(after)),
    ...opsOf("effect", hashesOf(before.effects), hashesOf(after.effects)),
    ...opsOf("topic", routeHashes(before), routeHashes(after)).map((each) => {
      return { ...each, op: "set_subscriptions" as const };
    }),
  ];
  const named = (op: PatchOp["op"]) => ops.flatMap((each) => (each.op === op ? [each.name] : []));
  const touched = ops.map(({ op, kind }) => {
    return op === "set_subscriptions" ? "routing" : sections[kind];
  });
  const code = before.moduleVersion === after.moduleVersion ? [] : ["code"];
  return {
    ops,
    definitions: {
      added: named("add_def"),
      removed: named("remove_def"),
      changed: named("replace_def"),
    },
    sections: [...new Set([...touched, ...code])].sort(),
  };
}

type Hashes = ReadonlyMap<string, Hash>;

function opsOf(kind: PatchKind, before: Hashes, after: Hashes): readonly PatchOp[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((name) => {
    const [preHash, hash] = [before.get(name) ?? null, after.get(name) ?? null];
    if (preHash === hash) return [];
    const op = preHash === null ? "add_def" : hash === null ? "remove_def" : "replace_def";
    return [{ op, kind, name, preHash, hash } as const];
  });
}

function hashesOf(all: ReadonlyMap<string, { readonly hash: Hash }>): Hashes {
  return new Map([...all].map(([name, { hash }]) => [name, hash]));
}

function topicHashes({ topics }: MachineSet): Hashes {
  return new Map([...topics].map(([name, { schema }]) => [name, contentHash(schema as never)]));
}

/** By topic: who gets its events, in their order, and under which key. */
function routeHashes({ routes }: MachineSet): Hashes {
  return new Map(
    [...routes].map(([topic, all]) => {
      const said = all.map(({ machine, wrapAs, keyPath, keyInWrapped }) => {
        return { machine: machine.name, wrapAs, keyPath, keyInWrapped };
      });
      return [topic, contentHash(said as never)];
    }),
  );
}
