import { expect, test } from "vitest";
import { contentHash, encodeCanonical } from "../canonical/index.ts";
import { sameBytes } from "./hex.ts";
import { judgeSignature, receiptLeaf, type Signature, signedTree } from "./signature.ts";

const leafOf = (name: string) =>
  receiptLeaf({
    intentHash: encodeCanonical(name),
    status: "ok",
    payload: encodeCanonical(name),
    costCents: null,
    module: "shop",
    moduleHash: contentHash("shop 1"),
    entrypoint: "look",
  });

/** One signature over all of them, which is good for exactly what was signed. */
function signedBy(names: readonly string[]) {
  const tree = signedTree(names.map(leafOf));
  if (tree === null) throw new Error("it has leaves");
  const { statement, paths } = tree;
  const keys = {
    moduleOf: () => "shop",
    verify: (_: string, given: Uint8Array) => sameBytes(given, statement),
  };
  const judge = (name: string, path: Signature["path"]) =>
    judgeSignature(leafOf(name), { keyId: "k", bytes: statement, path }, { module: "shop", keys });
  return { judge, paths };
}

test("a receipt is good on its own way to the root, in any order, and nothing else is", () => {
  const names = Array.from({ length: 11 }, (_, at) => `receipt ${at}`);
  const { judge, paths } = signedBy(names);
  const inOrder = [...names.entries()];
  for (const [at, name] of [...inOrder, ...inOrder.toReversed(), ...inOrder]) {
    const path = paths[at] ?? [];
    expect(judge(name, path)).toBe("good");
    expect(judge(`${name}, forged`, path)).toBe("signature_wrong");
    expect(judge(names[(at + 1) % names.length] ?? "", path)).toBe("signature_wrong");
    for (const level of path.keys()) {
      const swapped = path.map(({ side, hash }, here) => {
        if (here !== level) return { side, hash };
        return { side: side === "left" ? ("right" as const) : ("left" as const), hash };
      });
      const altered = path.map(({ side, hash }, here) =>
        here === level ? { side, hash: hash.with(31, (hash[31] ?? 0) ^ 1) } : { side, hash },
      );
      expect(judge(name, swapped)).toBe("signature_wrong");
      expect(judge(name, altered)).toBe("signature_wrong");
    }
  }
});
