/**
 * Who may import whom, production code only. The shape behind it: core decides and knows nobody;
 * adapters know core and not each other; only an entry point names concrete parts. A package that
 * is missing here fails the check, so that a new one starts with a decision.
 */
export type PackageRule = {
  readonly workspace: readonly string[]; // packages of this repository it may import
  readonly libraries: "declared" | "none"; // "declared" = whatever its package.json lists
  readonly node: boolean; // node: modules; false where the code also runs in a browser or isolate
  readonly why: string;
};

const [core, sdk, protocol, store, sandbox, kit, connectors, testing, host] = [
  "@holdfast/core",
  "@holdfast/sdk",
  "@holdfast/protocol",
  "@holdfast/store",
  "@holdfast/sandbox",
  "@holdfast/connector-kit",
  "@holdfast/connectors",
  "@holdfast/testing",
  "@holdfast/host",
] as const;

const portable = { libraries: "declared", node: false } as const;
const onNode = { libraries: "declared", node: true } as const;

export const importTable: Readonly<Record<string, PackageRule>> = {
  "packages/core": {
    workspace: [],
    libraries: "none",
    node: false,
    why: "core decides from its arguments alone; pass what it needs in, or make it a port",
  },
  "packages/sdk": { ...portable, workspace: [core], why: "scripts import it inside an isolate" },
  "packages/protocol": { ...portable, workspace: [core], why: "browsers import it" },
  "packages/store": { ...onNode, workspace: [core], why: "a store only keeps what core decided" },
  "packages/sandbox": { ...onNode, workspace: [core, sdk], why: "it only runs scripts" },
  "packages/connector-kit": { ...onNode, workspace: [core], why: "connector authors import it" },
  "packages/connectors": {
    ...onNode,
    workspace: [core, kit],
    why: "a connector knows only its kit",
  },
  "packages/host": {
    ...onNode,
    workspace: [core, kit],
    why: "the host takes store, sandbox and connectors as ports, so that the simulator can run it",
  },
  "packages/testing": {
    ...onNode,
    workspace: [core, sdk, kit, host, store, sandbox],
    why: "authors run whole workflows in memory with it",
  },
  "apps/server": {
    ...onNode,
    workspace: [core, protocol, host, kit],
    why: "only apps/server/main.ts names concrete parts",
  },
  "apps/cli": {
    ...onNode,
    workspace: [protocol, sandbox],
    why: "the command line goes through the API; only a script on disk needs no server",
  },
  "apps/web": { ...portable, workspace: [protocol], why: "the page goes through the API" },
};

/** Files and folders that may import more than their package. */
export const importAllowances: readonly {
  readonly within: string;
  readonly names: readonly string[];
}[] = [
  // The canonical bytes need an encoder and a hash; both are pure functions of their input.
  { within: "packages/core/canonical/", names: ["cborg", "node:crypto"] },
  // The one place that puts the parts together.
  { within: "apps/server/main.ts", names: [store, sandbox, connectors] },
  // `holdfast start` is the server, started by another name.
  { within: "apps/cli/commands/start.ts", names: ["@holdfast/server"] },
  // What seals credentials is what reads them; no host has to run for it.
  { within: "apps/cli/commands/secrets.ts", names: ["@holdfast/server"] },
  // What only looks needs no host, and says the same as one.
  { within: "apps/cli/local-reader.ts", names: ["@holdfast/server"] },
  // A command finds what the host was told, from the same file.
  { within: "apps/cli/with-config.ts", names: ["@holdfast/server"] },
  // A connector is read for its trial as the host reads it; no host has to run for it.
  { within: "apps/cli/commands/conformance.ts", names: ["@holdfast/server"] },
  // What `holdfast init` writes is an author's and an operator's, not ours.
  { within: "apps/cli/starter/", names: [sdk, "@holdfast/server"] },
  // A store is moved while no host runs.
  { within: "apps/cli/commands/export.ts", names: [host] },
  { within: "apps/cli/commands/import.ts", names: [host] },
  // Tokens can be made and revoked while no host runs.
  { within: "apps/cli/commands/token.ts", names: ["@holdfast/server"] },
  // Authors test with the memory store and the fakes, so that package may use test support.
  { within: "packages/testing/", names: [testing] },
];
