import { putAway } from "@holdfast/core/machine";
import {
  type FollowedKernel,
  followKernel,
  type KernelParts,
  type OpenedKernel,
  openKernel,
} from "./open-kernel.ts";

/** Workflows whose machines are looked at, at the same time. */
const keptMax = 4;
/** States that stay at hand of those that were looked at. */
const residentBytesMax = 8 * 1024 * 1024;

type Read<T> = (opened: OpenedKernel) => Promise<T>;

/**
 * Kernels that are only read. To open one costs the steps since its last snapshot, and whoever
 * follows a workflow asks with every change: so each is kept, and goes on with what came since.
 */
export class KeptKernels {
  readonly #kept = new Map<string, KeptKernel>();

  /** One reader of a workflow at a time: what it reads does not move under it. */
  async read<T>(parts: KernelParts, read: Read<T>): Promise<T> {
    const { workflow } = parts;
    const kernel = this.#kept.get(workflow) ?? new KeptKernel();
    this.#kept.delete(workflow);
    this.#kept.set(workflow, kernel);
    const [oldest = ""] = this.#kept.keys();
    if (this.#kept.size > keptMax) this.#kept.delete(oldest);
    return kernel.read(parts, read);
  }
}

class KeptKernel {
  #followed: FollowedKernel | null = null;
  #before: Promise<unknown> = Promise.resolve();

  read<T>(parts: KernelParts, read: Read<T>): Promise<T> {
    const result = this.#before.then(() => this.#read(parts, read));
    this.#before = result.catch(() => {});
    return result;
  }

  /** What broke off in the middle is not gone on with. */
  async #read<T>(parts: KernelParts, read: Read<T>): Promise<T> {
    const before = this.#followed;
    this.#followed = null;
    const followed = await followKernel(parts, before);
    const opened = followed.again.opened();
    const answer = await read(opened);
    putAway(opened.kernel, residentBytesMax);
    this.#followed = followed;
    return answer;
  }
}

/** Of a host that keeps kernels, or opened for this. */
export type ReadParts = KernelParts & { readonly kernels?: KeptKernels };

export async function readKernel<T>(parts: ReadParts, read: Read<T>): Promise<T> {
  return parts.kernels === undefined
    ? read(await openKernel(parts))
    : parts.kernels.read(parts, read);
}
