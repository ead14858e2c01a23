import type { CanonicalValue } from "@holdfast/core";
import { addressEvent } from "@holdfast/core/machine";
import type { OpenedScript } from "../ports.ts";
import { commandBody } from "./command-body.ts";
import { ApiProblem } from "./problem.ts";

type Parts = { readonly activeScript: (workflow: string) => Promise<OpenedScript | null> };
type Body = Readonly<Record<string, CanonicalValue>>;

const wholeName = /^[^/]+\/.+@\d+$/;

/** A machine's whole name; its short one will do where only one has it. */
export async function fullName(parts: Parts, workflow: string, given: string): Promise<string> {
  // One that the active version does not have may have cells all the same.
  if (wholeName.test(given)) return given;
  const set = await setOf(parts, workflow);
  const found = [...set.machines.keys()].filter((name) => name.includes(`/${given}@`));
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  const known = [...set.machines.keys()].join(", ");
  throw new ApiProblem(422, "REQUEST_INVALID", `There is no machine ${given}.`, {
    remedy: `Machines are: ${known}.`,
  });
}

/** There is none of that key, or none without one; the answer says what can be named instead. */
export async function noCell(
  parts: Parts,
  workflow: string,
  { machine, key }: { readonly machine: string; readonly key: string | undefined },
): Promise<ApiProblem> {
  const { machines } = await setOf(parts, workflow);
  const declared = machines.get(machine);
  const which = key === undefined ? "without a key" : key;
  const detail = `${machine} has no cell ${which}.`;
  const listed = `\`holdfast machine cells ${workflow}\` lists those that are there.`;
  if (declared === undefined) {
    const remedy = `Machines are: ${[...machines.keys()].join(", ")}.`;
    return new ApiProblem(404, "REQUEST_INVALID", detail, { remedy });
  }
  const remedy =
    declared.key !== null && key === undefined
      ? `It has a cell for each key: name one, as in --cell '"a"'. ${listed}`
      : listed;
  return new ApiProblem(404, "REQUEST_INVALID", detail, { remedy });
}

/**
 * What is sent to a machine is looked at before it becomes durable, so that whoever sends it hears
 * what is wrong. The kernel judges it again when it is served.
 */
export async function checkMachineInput(
  parts: Parts,
  workflow: string,
  { kind, body }: { readonly kind: string; readonly body: Body },
): Promise<Body> {
  if (kind !== "send_to_machine" && kind !== "restart_cell") return body;
  const machine = await fullName(parts, workflow, String(body["machine"]));
  const named = { ...body, machine };
  if (kind === "restart_cell") return named;
  const { key, value } = commandBody(kind, named) as {
    readonly key: Uint8Array | null;
    readonly value: Uint8Array;
  };
  const addressed = addressEvent(await setOf(parts, workflow), { machine, key, value });
  if (addressed.ok) return named;
  const detail = `${addressed.code}: ${addressed.note}`;
  throw new ApiProblem(422, "REQUEST_INVALID", detail, { remedy: "See docs/machines.md." });
}

async function setOf({ activeScript }: Parts, workflow: string) {
  const opened = await activeScript(workflow);
  const machines = opened?.host({}).machines;
  if (machines !== undefined) return machines.set;
  throw new ApiProblem(422, "REQUEST_INVALID", `${workflow} has no machines.`);
}
