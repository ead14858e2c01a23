import { type Finding, type Verdict, verdict } from "./finding.ts";
import { packageRootOf, type SourceFile } from "./source-files.ts";

const mapPath = "ARCHITECTURE.md";

type MapLine = { readonly path: string; readonly description: string; readonly line: number };

/** The folder map in ARCHITECTURE.md lists what is there, all of it and nothing else. */
export function checkFolderMap(files: readonly SourceFile[]): Verdict {
  const document = files.find((file) => file.path === mapPath);
  if (!document) return verdict([], [`${mapPath} does not exist yet; nothing compared`]);
  const map = readMap(document.text);
  if (map.length === 0) return verdict([noMap()]);
  const folders = listFolders(files);
  return verdict([
    ...map.flatMap((line) => missingPath(files, line)),
    ...folders.filter((folder) => !isListed(folder, map)).map(unlisted),
  ]);
}

function noMap(): Finding {
  const problem = 'there is no fenced block of "path/  description" lines under "## Folder map"';
  return { path: mapPath, line: null, problem, mend: "add the map of the folders there" };
}

function readMap(markdown: string): MapLine[] {
  const lines = markdown.split("\n");
  const heading = lines.findIndex((line) => /^## Folder map\s*$/.test(line));
  if (heading === -1) return [];
  const open = lines.findIndex((line, index) => index > heading && line.startsWith("```"));
  const close = lines.findIndex((line, index) => index > open && line.startsWith("```"));
  if (open === -1 || close === -1) return [];
  return lines.slice(open + 1, close).flatMap((text, index) => {
    const [, path, description] = /^\s*([\w.@/-]+)(?:\s+(.*))?$/.exec(text) ?? [];
    return path ? [{ path, description: description ?? "", line: open + 2 + index }] : [];
  });
}

/** Top-level folders, packages and apps, and the folders directly below a package or app. */
function listFolders(files: readonly SourceFile[]): string[] {
  const folders = new Set<string>();
  for (const { path } of files) {
    const parts = path.split("/").slice(0, -1);
    const depth = packageRootOf(path) === "" ? 1 : 3;
    for (let count = 1; count <= Math.min(depth, parts.length); count += 1) {
      folders.add(parts.slice(0, count).join("/"));
    }
  }
  return [...folders].filter((folder) => !folder.startsWith("."));
}

/** Its own line, a line for something below it, or a word like `sqlite/` on its parent's line. */
function isListed(folder: string, map: readonly MapLine[]): boolean {
  const cut = folder.lastIndexOf("/");
  const [parent, name] = [folder.slice(0, cut), folder.slice(cut + 1)];
  return map.some(({ path, description }) => {
    if (`${path}/`.startsWith(`${folder}/`)) return true;
    const words = description.split(/[\s,;()]+/);
    return cut !== -1 && path.replace(/\/$/, "") === parent && words.includes(`${name}/`);
  });
}

function missingPath(files: readonly SourceFile[], { path, line }: MapLine): Finding[] {
  const folder = path.endsWith("/") ? path : `${path}/`;
  if (files.some((file) => file.path === path || file.path.startsWith(folder))) return [];
  const problem = `the map lists ${path}, which does not exist`;
  return [{ path: mapPath, line, problem, mend: "delete the line or correct it" }];
}

function unlisted(folder: string): Finding {
  const problem = `the map does not list ${folder}/`;
  return { path: mapPath, line: null, problem, mend: `add a line "${folder}/    what it is"` };
}
