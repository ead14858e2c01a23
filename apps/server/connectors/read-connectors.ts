import { type Connector, isConnector } from "@holdfast/connector-kit";
import { importAuthored, unusable } from "./author-module.ts";

type Connectors = Readonly<Record<string, Connector>>;

/** Ours, and those of the modules that the config names. Throws CONNECTOR_UNUSABLE. */
export async function readConnectors(
  paths: readonly string[],
  ours: Connectors,
): Promise<Connectors> {
  const all = new Map(Object.entries(ours));
  const from = new Map<string, string>();
  for (const path of paths) {
    const connector = checked(path, await importAuthored(path));
    const { name } = connector;
    if (all.has(name)) throw unusable(path, taken(name, from.get(name)));
    all.set(name, connector);
    from.set(name, path);
  }
  return Object.fromEntries(all);
}

/** Undefined = it comes with Holdfast: an account must not come to lead somewhere else by it. */
function taken(name: string, by: string | undefined): string {
  const who = by === undefined ? "the connector of that name that comes with Holdfast" : by;
  return `the name ${name} is taken by ${who}`;
}

/** As in `<connector>/<operation>@1`, which is what machines ask for. */
const nameForm = /^[a-z][a-z0-9._-]*$/;
/** Scripts call it `ctx.<connection>.<operation>`. */
const operationForm = /^[A-Za-z][A-Za-z0-9_]*$/;
/** What the host does by itself. */
const hostName = "sys";

function checked(path: string, given: unknown): Connector {
  if (!isConnector(given)) {
    throw unusable(path, "its default export was not made by defineConnector");
  }
  const { name, kinds } = given;
  if (!nameForm.test(name) || name === hostName) {
    const form = "small letters, digits and . _ - after a letter";
    throw unusable(path, `a connector cannot be named ${JSON.stringify(name)}; use ${form}`);
  }
  const wrong = Object.keys(kinds).find((each) => !operationForm.test(each));
  if (wrong === undefined) return given;
  const form = "letters, digits and _ after a letter";
  throw unusable(path, `an operation cannot be named ${JSON.stringify(wrong)}; use ${form}`);
}
