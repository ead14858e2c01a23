/**
 * Which blobs a value names. Only what its schema says is a hash is one: a text that looks like it
 * is a text, and bytes are never looked into.
 */
import {
  type CanonicalRecord,
  type CanonicalValue,
  decodeCanonical,
  type Hash,
  innerSchemas,
  type NamedSchemas,
  type Schema,
} from "../canonical/index.ts";
import { receiptSchemaName } from "./host-schemas.ts";
import type { MachineSet } from "./machine-set.ts";
import { typedPayload } from "./step-values.ts";

/** Of what one version of a workflow knows the schemas of. */
export class TypedHashes {
  /** Machines, effects and topics whose schemas nobody knows any more, so what they name either. */
  readonly unknown = new Set<string>();
  readonly #set: MachineSet;
  readonly #found: (hash: Hash) => void;

  constructor(set: MachineSet, found: (hash: Hash) => void) {
    this.#set = set;
    this.#found = found;
  }

  /** Whether there is anything to be found in the states of a machine. */
  mayStateName(machine: string): boolean {
    const { machines, names } = this.#set;
    const known = machines.get(machine);
    if (known === undefined) this.unknown.add(machine);
    return known !== undefined && hasHash(known.state.schema, names);
  }

  state(machine: string, bytes: Uint8Array): void {
    this.#lookIn(machine, this.#set.machines.get(machine)?.state.schema, bytes);
  }

  /** What waits in a mailbox; a receipt among it has a payload of its own. */
  mail(machine: string, value: Uint8Array): void {
    this.#lookIn(machine, this.#set.machines.get(machine)?.event.compiled.schema, value);
  }

  params(effect: string, bytes: Uint8Array): void {
    this.#lookIn(effect, this.#set.effects.get(effect)?.params.schema, bytes);
  }

  /** An event that waits for machines. */
  event(topic: string, payload: Uint8Array): void {
    this.#lookIn(topic, this.#set.topics.get(topic)?.schema, payload);
  }

  #lookIn(name: string, schema: Schema | undefined, bytes: Uint8Array): void {
    if (schema === undefined) this.unknown.add(name);
    else this.#look(schema, decodeCanonical(bytes));
  }

  #look(schema: Schema, value: CanonicalValue): void {
    if (value === null) return;
    switch (schema.type) {
      case "hash":
        if (typeof value === "string") this.#found(value as Hash);
        return;
      case "option":
        return this.#look(schema.inner, value);
      case "list":
      case "set":
        if (Array.isArray(value)) for (const item of value) this.#look(schema.item, item);
        return;
      case "ref":
        return this.#lookRef(schema.name, value);
      case "map":
        for (const [key, each] of entriesOf(value)) {
          this.#look(schema.key, key);
          this.#look(schema.value, each);
        }
        return;
      case "record":
        for (const [name, each] of entriesOf(value)) {
          const inner = Object.hasOwn(schema.fields, name) ? schema.fields[String(name)] : null;
          if (inner) this.#look(inner, each);
        }
        return;
      case "variant": {
        const { $tag, $value = null } = value as CanonicalRecord;
        const tag = String($tag);
        const arm = Object.hasOwn(schema.arms, tag) ? schema.arms[tag] : null;
        if (arm) this.#look(arm, $value);
      }
    }
  }

  #lookRef(name: string, value: CanonicalValue): void {
    const target = this.#set.names.get(name);
    if (target !== undefined) this.#look(target, value);
    if (name !== receiptSchemaName) return;
    const typed = typedPayload(this.#set, value as CanonicalRecord);
    if (typed !== null) this.#look(typed.schema.schema, typed.value);
  }
}

function entriesOf(value: CanonicalValue): Iterable<readonly [string, CanonicalValue]> {
  if (value instanceof Map) return [...value].map(([key, each]) => [String(key), each]);
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

/** Names have no way back to themselves. */
function hasHash(schema: Schema, names: NamedSchemas): boolean {
  if (schema.type === "hash") return true;
  if (schema.type === "ref") {
    const target = names.get(schema.name);
    return target !== undefined && hasHash(target, names);
  }
  return innerSchemas(schema).some(([, inner]) => hasHash(inner, names));
}
