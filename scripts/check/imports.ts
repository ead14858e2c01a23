import { posix } from "node:path";
import type { Excess } from "./exception-list.ts";
import type { Finding } from "./finding.ts";
import { findImportSites, type ImportSite, packageNameOf } from "./import-sites.ts";
import { importAllowances, importTable } from "./import-table.ts";
import { type Manifest, readManifests } from "./manifests.ts";
import { isTestSupport, isTypeScript, packageRootOf, type SourceFile } from "./source-files.ts";

const tablePath = "scripts/check/import-table.ts";

type Importer = {
  readonly path: string;
  readonly root: string;
  readonly free: boolean; // tests and tool configuration: bound only by what is declared
  readonly manifests: ReadonlyMap<string, Manifest>;
};

type Problem = Pick<Finding, "problem" | "mend"> & { readonly subject: string };

/** Checks every import against the table of who may import whom and what each package declares. */
export function checkImports(files: readonly SourceFile[]): Excess[] {
  const manifests = readManifests(files);
  const excesses = new Map<string, Excess>();
  for (const file of files.filter((candidate) => isTypeScript(candidate.path))) {
    const root = packageRootOf(file.path);
    const free = root === "" || isTestSupport(file.path) || file.path.endsWith(".config.ts");
    const importer: Importer = { path: file.path, root, free, manifests };
    for (const site of findImportSites(file)) addProblem(excesses, importer, site);
  }
  return [...excesses.values()];
}

// Grouped by package and imported name, so that an exception can speak of "the cli and the store".
function addProblem(excesses: Map<string, Excess>, importer: Importer, site: ImportSite): void {
  const found = judge(importer, site.specifier);
  if (!found) return;
  const path = importer.root === "" ? importer.path : importer.root;
  const finding = {
    path: importer.path,
    line: site.line,
    problem: found.problem,
    mend: found.mend,
  };
  const key = `${path} ${found.subject}`;
  const findings = [...(excesses.get(key)?.findings ?? []), finding];
  const size = new Set(findings.map((each) => each.path)).size;
  excesses.set(key, { rule: "import", path, subject: found.subject, size, findings });
}

function judge(importer: Importer, specifier: string | null): Problem | null {
  if (specifier === null) return judgeComputed(importer);
  if (specifier.startsWith(".")) return judgeRelative(importer, specifier);
  if (!importer.free && !(importer.root in importTable)) return missingRule(importer);
  if (specifier.startsWith("node:")) return judgeNode(importer, specifier);
  const name = packageNameOf(specifier);
  return judgeReach(importer, specifier, name) ?? judgeDeclared(importer, name);
}

function judgeComputed(importer: Importer): Problem | null {
  if (importer.free || importer.root.startsWith("apps/")) return null;
  return {
    subject: "computed import",
    problem: "imports a module whose name is computed at run time",
    mend: "import by a literal name, or take the module as a parameter",
  };
}

function judgeRelative(importer: Importer, specifier: string): Problem | null {
  const target = posix.join(posix.dirname(importer.path), specifier);
  // A file directly under the package, such as package.json, belongs to it like any other.
  const targetRoot = packageRootOf(target);
  if (targetRoot !== importer.root) {
    const name = importer.manifests.get(targetRoot)?.name ?? "the package";
    return {
      subject: specifier,
      problem: `reaches into ${targetRoot || "the root"} by a relative path (${specifier})`,
      mend: `import ${name} by its name and export there what is needed`,
    };
  }
  if (importer.free || !isTestSupport(target)) return null;
  return usesTestSupport(specifier);
}

function usesTestSupport(specifier: string): Problem {
  return {
    subject: specifier,
    problem: `production code imports test code (${specifier})`,
    mend: "move what both need into a production file",
  };
}

function missingRule(importer: Importer): Problem {
  return {
    subject: "table",
    problem: `${importer.root} has no line in the import table`,
    mend: `decide what it may import and add it to ${tablePath}`,
  };
}

function judgeNode(importer: Importer, specifier: string): Problem | null {
  const rule = importTable[importer.root];
  if (importer.free || !rule || rule.node || isAllowance(importer.path, specifier)) return null;
  return {
    subject: specifier,
    problem: `${importer.root} must not import ${specifier}`,
    mend: rule.why,
  };
}

function judgeReach(importer: Importer, specifier: string, name: string): Problem | null {
  const rule = importTable[importer.root];
  if (importer.free || !rule) return null;
  const isWorkspace = [...importer.manifests.values()].some((each) => each.name === name);
  if (isWorkspace && specifier.includes("/testing") && importer.root !== "packages/testing") {
    return usesTestSupport(specifier);
  }
  if (isAllowance(importer.path, name)) return null;
  const allowed = isWorkspace ? rule.workspace.includes(name) : rule.libraries === "declared";
  if (allowed) return null;
  return {
    subject: name,
    problem: `${importer.root} must not import ${name}`,
    mend: `${rule.why} (${tablePath})`,
  };
}

function isAllowance(path: string, name: string): boolean {
  return importAllowances.some(
    (allowance) => path.startsWith(allowance.within) && allowance.names.includes(name),
  );
}

function judgeDeclared(importer: Importer, name: string): Problem | null {
  const own = importer.manifests.get(importer.root);
  if (own?.dependencies.has(name)) return null;
  if (importer.free && isDeclaredForTests(importer, name)) return null;
  return {
    subject: name,
    problem: `imports ${name}, which ${importer.root || "the root"}/package.json does not declare`,
    mend: `add it there with an exact version, or do without it`,
  };
}

// The root package holds the tools every test shares, and its own code may use every workspace.
function isDeclaredForTests(importer: Importer, name: string): boolean {
  const { manifests, root } = importer;
  const own = manifests.get(root);
  const shared = manifests.get("");
  if (own?.name === name || own?.devDependencies.has(name)) return true;
  if (shared?.dependencies.has(name) || shared?.devDependencies.has(name)) return true;
  return root === "" && [...manifests.values()].some((each) => each.name === name);
}
