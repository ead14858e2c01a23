import { expect, test } from "vitest";
import { type CanonicalRecord, encodeCanonical, hashText, sha256 } from "../canonical/index.ts";
import { MachineWorld } from "./testing/machine-world.ts";
import { machineOf, receiptArm, record, ref, text, variant } from "./testing/sample-set.ts";

type Event = { readonly $tag: string; readonly $value: { readonly size?: bigint } };

/** Puts as many bytes as it is told, and gets them again; its state is how often it was called. */
function world(): MachineWorld {
  return new MachineWorld({
    declaration: {
      topics: [{ name: "wish", schema: record({ size: { type: "nat" } }) }],
      machines: [
        machineOf({
          name: "keeper",
          state: text,
          event: variant({ Wish: ref("wish"), ...receiptArm }),
          effects: ["sys/blob.put@1", "sys/blob.get@1"],
          subscribe: [{ topic: "wish", key: null }],
        }),
      ],
    },
    steps: {
      keeper: (state: string | null, { $tag, $value }: Event) => {
        const next = `${state ?? ""}.`;
        if ($tag !== "Wish") return { state: next };
        const bytes = new Uint8Array(Number($value.size)).fill(7);
        const get = { effect: "sys/blob.get@1", params: { blob_ref: hashText(bytes) } };
        return { state: next, effects: [{ effect: "sys/blob.put@1", params: { bytes } }, get] };
      },
    },
  });
}

function run(size: number): MachineWorld {
  const it = world();
  it.send("wish", { size });
  const bytes = new Uint8Array(size).fill(7);
  const blob_ref = hashText(bytes);
  it.settle(it.firstOpen("sys/blob.put@1"), "ok", { blob_ref, edge_ref: blob_ref, size });
  it.settle(it.firstOpen("sys/blob.get@1"), "ok", { blob_ref, size, bytes });
  expect(it.state("keeper")).toBe("...");
  return it;
}

const recordsOf = (it: MachineWorld) => {
  const put = it.records("effect_intent").find(({ effect }) => effect === "sys/blob.put@1");
  const got = it.records("effect_receipt").at(-1);
  return { put, got } as { put: CanonicalRecord; got: CanonicalRecord };
};

test("[M.C-16] large params of a put and payloads of a get stand beside the journal", () => {
  const it = run(5_000);
  const { put, got } = recordsOf(it);
  expect(put).not.toHaveProperty("params");
  expect(got).not.toHaveProperty("payload");
  const bytes = new Uint8Array(5_000).fill(7);
  const payload = encodeCanonical({ blob_ref: hashText(bytes), size: 5_000, bytes });
  const hash = sha256(payload);
  const fields = { payload_ref: hash, payload_size: payload.length, payload_sha256: hash };
  expect(got).toMatchObject(fields);
  expect(put).toMatchObject({ params_sha256: put["params_hash"], params_ref: put["params_hash"] });
  expect(it.kept.get(hashText(payload))).toEqual(payload);
  expect(it.kept.size).toBe(2);
  expect(Math.max(...it.journal.map(({ length }) => length))).toBeLessThan(2_000);
  expect(it.whyReplayDiffers()).toBeNull();
});

test("[M.C-16] small ones stand in their record, as every other effect's do", () => {
  const it = run(100);
  const { put, got } = recordsOf(it);
  expect(put).toHaveProperty("params");
  expect(got).toHaveProperty("payload");
  expect(it.kept.size).toBe(0);
  expect(it.whyReplayDiffers()).toBeNull();
});

test.each([
  ["nothing is there", null],
  ["it is shorter", new Uint8Array(3)],
  ["it is as long, and other bytes", "same length"],
])("[M.C-16] replay goes no further where %s", (_, instead) => {
  const it = run(5_000);
  const { got } = recordsOf(it);
  const ref = `sha256:${Buffer.from(got["payload_ref"] as Uint8Array).toString("hex")}`;
  const right = it.kept.get(ref) ?? new Uint8Array();
  if (instead === null) it.kept.delete(ref);
  else it.kept.set(ref, instead === "same length" ? right.toReversed() : (instead as Uint8Array));
  const replayed = it.replay();
  expect(replayed).toMatchObject({ ok: false, divergence: { code: "missing_cas_dependency" } });
});
