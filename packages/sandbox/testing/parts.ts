import { loadEngine } from "../engine/abi.ts";
import { type BootImage, boot } from "../engine/boot.ts";
import { type GuestHost, Instance } from "../engine/instance.ts";
import { sandboxLimitDefaults } from "../limits.ts";
import { guestCode } from "../run/guest-code.ts";
import type { PhaseCall } from "../run/phase.ts";
import { type ScriptImage, type SliceEnd, Slices } from "../run/slice.ts";
import { scriptOf, somePhase } from "./phases.ts";

const { heapBytesMax, stackBytesMax } = sandboxLimitDefaults;

/** What a thread is made of, without the thread. */
export type Parts = { readonly slices: Slices; readonly image: BootImage };

export async function partsOf(
  Kind: typeof Instance,
  limits = sandboxLimitDefaults,
  monotonicMs = () => performance.now(),
): Promise<Parts> {
  const instance = new Kind(loadEngine(), heapBytesMax);
  const image = boot(instance, { guestCode: await guestCode(), stackBytesMax });
  return { slices: new Slices(instance, limits, monotonicMs), image };
}

export function load({ slices, image }: Parts, definition: string): ScriptImage {
  const answer = slices.load(image, scriptOf(definition));
  if (answer.kind === "failed") throw new Error(answer.failure.message);
  return answer.script;
}

export const prepare: PhaseCall = { ...somePhase, phase: "prepare", handler: "h" };

export const returnedBy = (end: SliceEnd) =>
  end.kind === "ended" && end.result.kind === "returned" ? end.result.value : null;

/** A guest's own part that is not ours, with a host that only listens. */
export function bootBare(code: string) {
  const instance = new Instance(loadEngine(), heapBytesMax);
  return { instance, ...boot(instance, { guestCode: code, stackBytesMax }) };
}

export function hearing(heard: string[]): GuestHost {
  return {
    call: (_, text) => {
      heard.push(text);
      return undefined;
    },
    poll: () => {},
    now: () => 0,
    heapFull: () => {
      throw new Error("The heap is full.");
    },
  };
}
