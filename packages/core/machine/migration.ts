/** A version's own function from the states there are to those that it takes. */
import { type CanonicalValue, encodeCanonical, sha256 } from "../canonical/index.ts";
import { invariant } from "../ports/invariant.ts";
import { canonicalize } from "./canonicalize.ts";
import type { Cell } from "./cell.ts";
import { guestValue } from "./guest-value.ts";
import type { Kernel } from "./kernel.ts";
import type { CompiledMachine, MachineSet } from "./machine-set.ts";
import { aboutCell, inOrder, machinesWithOtherState, type Obstacle } from "./obstacles.ts";
import type { RefitState } from "./refit-state.ts";
import type { StepAnswer } from "./step.ts";

/** One call of `migrate`. It has the powers of a step, and says nothing but a state. */
export type MigrationCall = {
  readonly machine: string;
  /** As the version before knew it. */
  readonly state: CanonicalValue;
  readonly from: {
    readonly key: CanonicalValue;
    readonly machineHash: string;
    readonly manifestHash: string;
  };
  /** What a clock shows: the last moment that the machines know of. */
  readonly nowNs: bigint;
  /** The same for the same state, whether it is tried or meant. */
  readonly seed: Uint8Array;
};

/** Cells whose state a function of the version makes, in order. They have been brought here. */
export function cellsToMigrate(kernel: Kernel, set: MachineSet): readonly Cell[] {
  const machines = new Set(
    machinesWithOtherState(kernel.set, set).filter((name) => set.machines.get(name)?.migrates),
  );
  if (machines.size === 0) return [];
  return inOrder(kernel).filter(({ machine, state }) => machines.has(machine) && state !== null);
}

export function migrationCall({ set, logicalNowNs }: Kernel, cell: Cell): MigrationCall {
  const machine = set.machines.get(cell.machine);
  const { state: bytes, key } = cell;
  invariant(machine !== undefined && bytes !== null, "a cell that is migrated has a state");
  const { state, key: keySchema } = machine;
  const from = keySchema === null || key === null ? null : keySchema.decode(key);
  return {
    machine: cell.machine,
    state: guestValue(state.schema, state.decode(bytes), set.names),
    from: {
      key: keySchema === null ? null : guestValue(keySchema.schema, from, set.names),
      machineHash: machine.hash,
      manifestHash: set.manifestHash,
    },
    nowNs: logicalNowNs,
    seed: sha256(encodeCanonical([set.manifestHash, cell.machine, key, bytes])),
  };
}

export type Migrated = { readonly state: RefitState } | { readonly unfit: Obstacle };

/** `set` is the version's. Whatever is wrong stands in its way, by the name of the cell. */
export function judgeMigrated(
  { set, limits }: Pick<Kernel, "set" | "limits">,
  cell: Cell,
  answer: StepAnswer,
): Migrated {
  const { machine, key } = cell;
  const fail = (note: string) => ({ unfit: { ...aboutCell(cell, "migration_failed"), note } });
  if (answer.kind === "killed") return fail(`it was ended: ${answer.reason}`);
  if (answer.kind === "fault") return fail(`${answer.code}: ${answer.note}`);
  const { state } = answer.output;
  if (state === null) return fail("it returned no state, and a cell does not end by a version");
  const fitted = canonicalize(stateOf(set, machine).state, state);
  if (!fitted.ok) return fail(`what it returned does not fit: ${fitted.note}`);
  const { length } = fitted.bytes;
  if (length > limits.stepBytesMax) return fail(`${length} bytes are more than a step may leave`);
  return { state: { machine, key, state: fitted.bytes } };
}

function stateOf(set: MachineSet, machine: string): CompiledMachine {
  const found = set.machines.get(machine);
  invariant(found !== undefined, "a cell is migrated to a machine of the version");
  return found;
}
