import { foreseeRefusal, type Input, type Refused } from "@holdfast/core/machine";
import { type ReadParts, readKernel } from "./kept-kernels.ts";

export type Control = Extract<Input, { readonly kind: "cancel" | "restart" }>;

/**
 * What the machines would say now to who cancels an intent or restarts a cell; null = nothing is
 * against it. They judge it again when it is served.
 */
export function judgeControl(parts: ReadParts, control: Control): Promise<Refused | null> {
  return readKernel(parts, ({ kernel, driver }) => {
    return driver.drive(kernel, foreseeRefusal(kernel, control));
  });
}
