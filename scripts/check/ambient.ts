import type { Finding } from "./finding.ts";
import { isTestSupport, isTypeScript, type SourceFile } from "./source-files.ts";
import { keyName, type Node, parseTree, walk } from "./syntax-tree.ts";

/**
 * Core must give the same answer for the same arguments, for ever: replay and verification fold
 * the same functions years later. So nothing in it may look at the world around it.
 */
const passNow = "take the time as a parameter: `now` comes with the command";
const passRandom = "take it as a parameter: the host draws it and the fact records it";
const orderAction = "return an action; the host waits and answers with a command";
const callerReports = "return facts, actions or a refusal; the host reports them";
const fixedOrder = "compare with < and >, which depends on no locale";
const useUtc = "use the UTC method; the local time zone belongs to the machine";
const stayPlain = "the core is synchronous: load first, then decide";

const bannedGlobals: Readonly<Record<string, string>> = {
  performance: passNow,
  setTimeout: orderAction,
  setInterval: orderAction,
  setImmediate: orderAction,
  queueMicrotask: stayPlain,
  process: "take what it needs as a parameter; an impossible state throws through `invariant`",
  crypto: passRandom,
  globalThis: "name what is needed and take it as a parameter",
  fetch: orderAction,
  console: callerReports,
  Intl: fixedOrder,
  WeakRef: "keep a plain reference; garbage collection has its own time",
  FinalizationRegistry: "keep a plain reference; garbage collection has its own time",
};

const bannedMembers: Readonly<Record<string, string>> = {
  "Date.now": passNow,
  "Math.random": passRandom,
  "import.meta": "take what it needs as a parameter; the core does not know where it is stored",
};

const bannedProperties: Readonly<Record<string, string>> = {
  randomUUID: passRandom,
  randomBytes: passRandom,
  randomInt: passRandom,
  randomFillSync: passRandom,
  getRandomValues: passRandom,
  localeCompare: fixedOrder,
  toLocaleString: fixedOrder,
  toLocaleDateString: fixedOrder,
  toLocaleTimeString: fixedOrder,
  toLocaleLowerCase: "use toLowerCase",
  toLocaleUpperCase: "use toUpperCase",
  getTimezoneOffset: useUtc,
  getFullYear: useUtc,
  getMonth: useUtc,
  getDate: useUtc,
  getDay: useUtc,
  getHours: useUtc,
  getMinutes: useUtc,
};

type Ban = { readonly what: string; readonly instead: string };

export function checkAmbient(files: readonly SourceFile[]): Finding[] {
  return files
    .filter((file) => file.path.startsWith("packages/core/"))
    .filter((file) => isTypeScript(file.path) && !isTestSupport(file.path))
    .flatMap(checkFile);
}

function checkFile(file: SourceFile): Finding[] {
  const { program, lineAt } = parseTree(file);
  const findings: Finding[] = [];
  walk(program, (node, parents) => {
    const ban = findBan(node, parents);
    if (!ban) return;
    const problem = `${ban.what} in core`;
    findings.push({ path: file.path, line: lineAt(node.start), problem, mend: ban.instead });
  });
  return findings;
}

function findBan(node: Node, parents: readonly Node[]): Ban | null {
  return banOfSyntax(node) ?? banOfMember(node) ?? banOfName(node, parents);
}

function banOfSyntax(node: Node): Ban | null {
  if (node.type === "AwaitExpression") return { what: "await", instead: stayPlain };
  if (node.type === "ForOfStatement" && node.await)
    return { what: "for await", instead: stayPlain };
  if (node.type === "ImportExpression") return { what: "import()", instead: stayPlain };
  if ("async" in node && node.async) return { what: "an async function", instead: stayPlain };
  if (isDateOf(node)) return { what: "the current time", instead: passNow };
  return null;
}

/** `new Date()` without arguments, and `Date()`, which ignores them. */
function isDateOf(node: Node): boolean {
  if (node.type !== "NewExpression" && node.type !== "CallExpression") return false;
  if (node.callee.type !== "Identifier" || node.callee.name !== "Date") return false;
  return node.type === "CallExpression" || node.arguments.length === 0;
}

function banOfMember(node: Node): Ban | null {
  if (node.type === "MetaProperty") return lookUp(bannedMembers, "import.meta");
  if (node.type === "ImportSpecifier") return lookUp(bannedProperties, keyName(node.imported));
  if (node.type !== "MemberExpression") return null;
  // `Math["random"]` is the same call as `Math.random`.
  const property =
    node.computed && node.property.type === "Identifier" ? null : keyName(node.property);
  const object = node.object.type === "Identifier" ? node.object.name : "";
  if (object === "Promise") return { what: `Promise.${property}`, instead: stayPlain };
  return lookUp(bannedMembers, `${object}.${property}`) ?? lookUp(bannedProperties, property);
}

function banOfName(node: Node, parents: readonly Node[]): Ban | null {
  if (node.type !== "Identifier" || isOnlyALabel(node, parents.at(-1))) return null;
  if (node.name === "Promise" && parents.at(-1)?.type === "NewExpression") {
    return { what: "new Promise", instead: stayPlain };
  }
  return lookUp(bannedGlobals, node.name);
}

/** A key or a type has the same spelling as a global without reaching for it. */
function isOnlyALabel(node: Node, parent: Node | undefined): boolean {
  switch (parent?.type) {
    case "MemberExpression":
      return parent.property === node && !parent.computed;
    case "Property":
      return parent.key === node && !parent.computed;
    case "PropertyDefinition":
    case "MethodDefinition":
    case "TSPropertySignature":
    case "TSMethodSignature":
      return parent.key === node && !parent.computed;
    case "TSTypeReference":
    case "TSQualifiedName":
      return true;
    default:
      return false;
  }
}

function lookUp(table: Readonly<Record<string, string>>, name: string | null): Ban | null {
  if (name === null || !Object.hasOwn(table, name)) return null;
  return { what: name, instead: table[name] ?? "" };
}
