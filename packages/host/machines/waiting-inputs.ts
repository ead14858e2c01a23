import { decodeCanonical, type MachineInput, type Store } from "@holdfast/core";
import { bytesOf } from "../engine/values.ts";

type Parts = { readonly store: Pick<Store, "load" | "loadBlob">; readonly workflow: string };

/** What no frame has taken in yet, at most `machineInputsMax`, in order. */
export async function waitingInputs({ store, workflow }: Parts): Promise<readonly MachineInput[]> {
  const { rows } = await store.load(workflow, [{ kind: "machine_inputs" }]);
  const waiting = rows.flatMap((each) => (each.table === "machine_inputs" ? [each.row] : []));
  return Promise.all(
    waiting.map(async ({ body }) => {
      return decodeCanonical(await bytesOf(store, workflow, body)) as MachineInput;
    }),
  );
}
