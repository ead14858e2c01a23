import { hashText } from "@holdfast/core";
import type { Secrets } from "@holdfast/host";
import { readSealed, unusable } from "./accounts.ts";
import type { DeclaredSecret } from "./ports.ts";
import type { KeyPlace } from "./seal/key.ts";

/** What calls may be made with, and the accounts it may go to. */
type Binding = { readonly value: string; readonly accounts: readonly string[] };

/** Shorter ones cannot be told from other words, and so not be hidden in what a service says. */
const valueCharsMin = 8;

/** The secrets of a host. What is for webhooks never leaves it; what is for calls is bound. */
export class HostSecrets {
  readonly webhooks: Readonly<Record<string, string>>;
  readonly #bindings: ReadonlyMap<string, Binding>;

  constructor(
    webhooks: Readonly<Record<string, string>>,
    bindings: ReadonlyMap<string, Binding> = new Map(),
  ) {
    this.webhooks = webhooks;
    this.#bindings = bindings;
  }

  /** Bindings that are declared and not here, in words. */
  missing(declared: readonly DeclaredSecret[]): readonly string[] {
    return declared
      .filter(({ binding }) => !this.#bindings.has(binding))
      .map(({ name, binding }) => `the secret ${name} needs the binding ${binding}`);
  }

  /** What the names of one version stand for. */
  of(declared: readonly DeclaredSecret[]): Secrets {
    return {
      reveal: (name, account) => {
        const no = (why: string) => ({ ok: false, why: `the secret ${name} ${why}` }) as const;
        const wanted = declared.find((each) => each.name === name);
        if (wanted === undefined) return no("is not declared by the script");
        const bound = this.#bindings.get(wanted.binding);
        if (bound === undefined) return no(`has no binding ${wanted.binding} on this host`);
        if (!bound.accounts.includes(account)) return no(`may not go to the account ${account}`);
        const isOther = wanted.digest !== null && wanted.digest !== hashText(bytesOf(bound.value));
        if (isOther) return no("is not the one whose digest the script declares");
        return { ok: true, text: bound.value };
      },
    };
  }
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/**
 * `{ "<name>": "<text>" }` for webhooks, `{ "<name>": { "value": "<text>", "accounts": [ … ] } }`
 * for calls; null = this host has none.
 */
export function readSecrets(path: string | null, keyPlace: KeyPlace): HostSecrets {
  if (path === null) return new HostSecrets({});
  const webhooks: Record<string, string> = {};
  const bindings = new Map<string, Binding>();
  for (const [name, given] of Object.entries(readSealed(path, keyPlace))) {
    if (typeof given === "object" && given !== null)
      bindings.set(name, bindingOf(path, name, given));
    else if (typeof given === "string" && given !== "") webhooks[name] = given;
    else throw unusable(path, `${name} is not a text, or empty`);
  }
  return new HostSecrets(webhooks, bindings);
}

/** No value is ever part of what is wrong. */
function bindingOf(path: string, name: string, given: object): Binding {
  const { value, accounts, ...more } = given as Readonly<Record<string, unknown>>;
  const [strange] = Object.keys(more);
  if (strange !== undefined) throw unusable(path, `${name}.${strange} is not known`);
  if (typeof value !== "string" || value.length < valueCharsMin) {
    throw unusable(path, `${name}.value is no text of ${valueCharsMin} characters or more`);
  }
  const isList = Array.isArray(accounts) && accounts.every((each) => typeof each === "string");
  if (!isList) throw unusable(path, `${name}.accounts is no list of accounts`);
  return { value, accounts };
}
