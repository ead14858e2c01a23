import type { MembershipOptions, StoreCall } from "./membership-options.ts";

/** What a call of the store came to; a failure has been reported. */
export type Called<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

/** Makes calls that may fail without harm, because they will be made again. */
export class StoreCaller {
  readonly #options: MembershipOptions;

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  async call<T>(doing: StoreCall, make: () => Promise<T>): Promise<Called<T>> {
    try {
      return { ok: true, value: await make() };
    } catch (cause) {
      this.#options.listener.onTrouble({ doing, cause });
      return { ok: false };
    }
  }
}
