import { isIPv6 } from "node:net";

/** A person who mistypes is not held up; a program that tries gets one try in three seconds. */
const burst = 20;
const refillMs = 3_000;
/** As many addresses are remembered; the one that was quiet for longest gives way. */
const addressCountMax = 10_000;

/** Counts wrong tries by address. What it remembers is bounded, whoever tries. */
export class TryLimit {
  /** When all tries of an address will be forgotten, the quietest first. */
  readonly #forgottenAt = new Map<string, number>();

  /** How long to wait; 0 = one more may be tried. */
  waitMs(address: string, now: number): number {
    const until = this.#forgottenAt.get(keyOf(address)) ?? 0;
    return Math.max(0, until - now - (burst - 1) * refillMs);
  }

  failed(address: string, now: number): void {
    const key = keyOf(address);
    const until = Math.max(now, this.#forgottenAt.get(key) ?? 0) + refillMs;
    this.#forgottenAt.delete(key);
    this.#forgottenAt.set(key, Math.min(until, now + burst * refillMs));
    const [quietest] = this.#forgottenAt.keys();
    if (this.#forgottenAt.size > addressCountMax && quietest !== undefined) {
      this.#forgottenAt.delete(quietest);
    }
  }

  get addressCount(): number {
    return this.#forgottenAt.size;
  }
}

/** Whoever has one IPv6 address has 2^64 of them. A mapped IPv4 address is one. */
function keyOf(address: string): string {
  return isIPv6(address) && !address.includes(".") ? networkOf(address) : address;
}

function networkOf(address: string): string {
  const [front = [], back = []] = address
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => "0");
  return [...front, ...zeros, ...back].slice(0, 4).join(":");
}
