import type { SourceFile } from "./source-files.ts";

/** What a package.json says about names and dependencies. */
export type Manifest = {
  readonly name: string;
  readonly dependencies: ReadonlySet<string>;
  readonly devDependencies: ReadonlySet<string>;
};

/** Keyed by the folder of the package; "" is the root. */
export function readManifests(files: readonly SourceFile[]): ReadonlyMap<string, Manifest> {
  const manifests = new Map<string, Manifest>();
  for (const file of files) {
    const root = /^(?:((?:packages|apps)\/[^/]+)\/)?package\.json$/.exec(file.path);
    if (root) manifests.set(root[1] ?? "", parseManifest(file.text));
  }
  return manifests;
}

function parseManifest(text: string): Manifest {
  const json: unknown = JSON.parse(text);
  const name = fieldOf(json, "name");
  return {
    name: typeof name === "string" ? name : "",
    dependencies: new Set([
      ...keysOf(fieldOf(json, "dependencies")),
      ...keysOf(fieldOf(json, "peerDependencies")),
      ...keysOf(fieldOf(json, "optionalDependencies")),
    ]),
    devDependencies: new Set(keysOf(fieldOf(json, "devDependencies"))),
  };
}

function fieldOf(json: unknown, name: string): unknown {
  return typeof json === "object" && json !== null ? Reflect.get(json, name) : undefined;
}

function keysOf(value: unknown): string[] {
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}
