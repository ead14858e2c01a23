import { assertNever } from "../ports/invariant.ts";
import { admitCancel, admitManifest, admitRestart, admitSnapshot } from "./admit-control.ts";
import { admitEvent } from "./admit-event.ts";
import { admitFrame } from "./admit-frame.ts";
import { admitReceipt } from "./admit-receipt.ts";
import type { Admission, Input } from "./input.ts";
import { Kernel, type KernelOptions } from "./kernel.ts";
import { type Refused, refused } from "./refused.ts";
import type { Sample } from "./stamp.ts";

/** Takes one outside input in, or refuses it before anything has changed. Steps nothing. */
export function admit(kernel: Kernel, input: Input, sample: Sample): Admission {
  switch (input.kind) {
    case "manifest":
      return admitManifest(kernel, input, sample);
    case "event":
    case "direct":
      return admitEvent(kernel, input, sample);
    case "receipt":
      return tooLarge(kernel, input.payload) ?? admitReceipt(kernel, input, sample);
    case "frame":
      return tooLarge(kernel, input.payload) ?? admitFrame(kernel, input, sample);
    case "cancel":
      return admitCancel(kernel, input, sample);
    case "restart":
      return admitRestart(kernel, input, sample);
    case "snapshot":
      return admitSnapshot(kernel, input, sample);
    default:
      return assertNever(input, "admit");
  }
}

function tooLarge({ limits }: Kernel, payload: Uint8Array): Refused | null {
  if (payload.length <= limits.payloadBytesMax) return null;
  return refused("payload.too_large", `${payload.length} bytes`);
}

/** A kernel that has seen nothing but its first version, which is its first record. */
export function createKernel(options: KernelOptions, sample: Sample): Kernel {
  const kernel = new Kernel(options);
  admitManifest(kernel, { kind: "manifest", set: options.set }, sample);
  return kernel;
}
