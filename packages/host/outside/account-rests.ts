import type { Instant } from "@holdfast/core";

/** Services that asked to be left alone: what one workflow was told, all of this host keep to. */
export class AccountRests {
  readonly #until = new Map<string, Instant>();

  note(account: string, until: Instant): void {
    this.#until.set(account, Math.max(until, this.#until.get(account) ?? until));
  }

  /** Null = it may be called. */
  until(account: string, now: Instant): Instant | null {
    const until = this.#until.get(account) ?? now;
    if (until > now) return until;
    this.#until.delete(account);
    return null;
  }
}

export function leftAlone({ account }: { readonly account: string }): string {
  return `${account} asked to be left alone`;
}
