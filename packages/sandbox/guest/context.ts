import { ask, send } from "./calls.ts";
import { host } from "./host.ts";
import { bare, freeze, glue, OwnProxy, ownKeys, ownMember, resolved } from "./intrinsics.ts";
import { runItem } from "./items.ts";
import { writeLog } from "./log.ts";

/** What the host lets this phase have (capability/table.ts). */
export type Offer = {
  readonly members: readonly string[];
  readonly connections: Readonly<Record<string, readonly string[]>>;
  readonly trigger?: unknown;
};

/** Asked by the language itself, not by the script. */
const silent = bare<true>();
for (const name of ["then", "toJSON", "constructor", "$$typeof"]) silent[name] = true;

/**
 * An object that has exactly the given members. Reaching for any other tells the host, who ends
 * the run if the name means something or nothing: a script has no business with either.
 */
function closed(members: Record<string, unknown>, where: string): object {
  // It inherits nothing: a script could otherwise give it more traps.
  const traps = bare<ProxyHandler<Record<string | symbol, unknown>>["get"]>();
  traps["get"] = (target, name) => {
    if (typeof name === "symbol" || name in target) return target[name];
    if (!(name in silent)) host("absent", glue(where, name));
    return undefined;
  };
  return new OwnProxy(freeze(members), traps);
}

export function makeConnection(connection: string, operations: readonly string[]): object {
  const members = bare<unknown>();
  for (let index = 0; index < operations.length; index++) {
    const operation = operations[index] as string;
    const named = glue(connection, ".", operation);
    members[operation] = (params?: unknown) => ask(named, params ?? null, named);
  }
  return closed(members, glue(connection, "."));
}

const makers: Readonly<Record<string, (offer: Offer) => unknown>> = {
  log: () => writeLog,
  trigger: (offer) => ownMember(offer, "trigger"),
  publish: () => (topic: unknown, event: unknown) => {
    send("publish", [topic, event], "event");
    return resolved(undefined);
  },
  registerInput: () => (input: unknown) => resolved(send("input", input, "input")),
  peek: () => (topic: unknown, options?: unknown) =>
    ask("ctx.peek", [topic, options ?? null], "peek"),
  getByIds: () => (topic: unknown, ids: unknown) => ask("ctx.getByIds", [topic, ids], "getByIds"),
  kv: () =>
    closed(
      {
        __proto__: null,
        get: (key: unknown) => ask("ctx.kv.get", [key], "kv key"),
        set: (key: unknown, value: unknown) => ask("ctx.kv.set", [key, value], "kv value"),
        delete: (key: unknown) => ask("ctx.kv.delete", [key], "kv key"),
      },
      "kv.",
    ),
  withItem: (offer) => (id: unknown, title: unknown, handler: unknown) =>
    runItem([id, title], handler, (item) => makeContext(offer, item)),
};

/** Those that the host named, whatever a script made all objects inherit. */
export function forConnections(
  { connections }: Offer,
  use: (name: string, operations: readonly string[]) => void,
): void {
  const names = ownKeys(connections) as readonly string[];
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as string;
    use(name, connections[name] as readonly string[]);
  }
}

export type Item = { readonly isDone: boolean };

export function makeContext(offer: Offer, item?: Item): object {
  const members = bare<unknown>();
  for (let index = 0; index < offer.members.length; index++) {
    const name = offer.members[index] as string;
    // Items are not nested.
    if (item === undefined || name !== "withItem") members[name] = makers[name]?.(offer);
  }
  forConnections(offer, (name, operations) => {
    members[name] = makeConnection(name, operations);
  });
  if (item !== undefined) members["item"] = freeze(item);
  return closed(members, "");
}
