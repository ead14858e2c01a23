import {
  hasSpread,
  isFunction,
  memberName,
  propertyOf,
  unwrap,
} from "../../compile/tree/plain-expression.ts";
import type { Node } from "../../compile/tree/syntax-node.ts";
import type { HandlerForms, Manifest } from "../../manifest/manifest.ts";
import type { Handler } from "./handlers.ts";
import { itemForms } from "./item-forms.ts";
import { returnedValues } from "./returned-values.ts";
import type { ScriptView } from "./script-view.ts";
import type { Use } from "./use.ts";
import { codeText, type ReadAt, ValueReader } from "./value-reader.ts";

/**
 * Which reader made the forms: those of two readers cannot be compared, for the same code may
 * give two texts. To be raised when a text comes out otherwise for the same code.
 */
const reading = "reading 2";

/**
 * How the code of each handler makes what things are known by: items and subkeys, message ids,
 * inputs. What cannot be read to its ground stands there with the code it is made by, so that it
 * counts as changed when that code changes.
 */
export function handlerForms(
  view: ScriptView,
  manifest: Manifest,
  handlers: readonly Handler[],
): readonly HandlerForms[] {
  return phasesOf(manifest).map(([name, phases]) => {
    const found = handlers.filter((each) => each.name === name && phases.includes(each.phase));
    const isWhole = phases.every((phase) => found.some((each) => each.phase === phase));
    const forms = [
      reading,
      ...found.flatMap(itemForms),
      ...found.flatMap((handler) => identityForms(view, handler)),
      // It is put together when the script runs: nothing of it is certain to be the same.
      ...(found.some(({ uses }) => uses.isHandedOn)
        ? [`ctx goes where it cannot be followed {code ${codeText(programs(view))}}`]
        : []),
      ...(isWhole ? [] : [`made at run time by {code ${codeText(programs(view))}}`]),
    ];
    return { handler: name, forms: [...new Set(forms)].sort() };
  });
}

/** Where each handler may publish; the other phases of a consumer can do neither. */
function phasesOf({ producers, consumers, jobs }: Manifest) {
  return [
    ...producers.map(({ name }) => [name, ["producer"]] as const),
    ...consumers.map(({ name, next }) => [name, next ? ["next"] : []] as const),
    ...jobs.map(({ name }) => [name, ["job"]] as const),
  ] as readonly (readonly [string, readonly Handler["phase"][]])[];
}

function programs({ files }: ScriptView): readonly Node[] {
  return [...files.values()].map(({ program }) => program);
}

function identityForms(view: ScriptView, { uses }: Handler): string[] {
  return uses.all.flatMap((use) => {
    if (use.operation !== null) return [];
    if (use.member !== "publish" && use.member !== "registerInput") return [];
    const reader = new ValueReader(view, uses);
    const at: ReadAt = { trail: use.trail, file: use.file, hops: 0 };
    // Handed on as a value: how it is called is not to be seen.
    if (use.call === null) return [`${use.member} {code ${codeText(use.trail.slice(0, 1))}}`];
    return use.member === "publish" ? messages(reader, use, at) : [input(reader, use, at)];
  });
}

function messages(reader: ValueReader, { call }: Use, at: ReadAt): string[] {
  const [topics, events] = call?.arguments ?? [];
  if (!topics || !events) return [];
  const ids = messageIds(reader, events, at);
  return topicsIn(reader, topics, at).flatMap((topic) => ids.map((id) => `message ${topic} ${id}`));
}

function topicsIn(reader: ValueReader, given: Node, at: ReadAt): string[] {
  const node = unwrap(given);
  if (node.type !== "ArrayExpression") return [reader.form(node, at)];
  return node.elements.map((each) => (each ? reader.form(each, at) : ""));
}

/** Of one event, a list of them, a list that is made with map, or a name for one of these. */
function messageIds(reader: ValueReader, given: Node, at: ReadAt): string[] {
  const node = unwrap(given);
  if (node.type === "Identifier") {
    const named = reader.constant(node.name, at);
    return named ? messageIds(reader, named.node, named.at) : [reader.form(node, at)];
  }
  if (node.type === "ArrayExpression") {
    return node.elements.flatMap((each) => (each ? messageIds(reader, each, at) : []));
  }
  if (node.type === "ObjectExpression") {
    const id = propertyOf(node, "messageId");
    const isCertain = node.properties.at(-1)?.type === "Property" || !hasSpread(node);
    if (id?.type === "Property" && isCertain) return [reader.form(id.value, at)];
    if (!hasSpread(node)) return ["(none)"];
  }
  const [made] = node.type === "CallExpression" ? node.arguments : [];
  const isMapped = node.type === "CallExpression" && /^(map|flatMap)$/.test(calledName(node));
  if (made && isFunction(made) && isMapped) {
    const within = made.body?.type === "BlockStatement" ? [node, made, made.body] : [node, made];
    const inner = { ...at, trail: [...at.trail, ...within] };
    return returnedValues(made).flatMap((each) => messageIds(reader, each, inner));
  }
  return [reader.form(node, at)];
}

function calledName(node: Extract<Node, { type: "CallExpression" }>): string {
  return memberName(unwrap(node.callee)) ?? "";
}

/** An input is known by these three. */
const inputKeys = ["source", "type", "id"] as const;

function input(reader: ValueReader, { call }: Use, at: ReadAt): string {
  const [first] = call?.arguments ?? [];
  const given = first && unwrap(first);
  const named = given?.type === "Identifier" ? reader.constant(given.name, at) : null;
  const node = named ? unwrap(named.node) : given;
  const where = named?.at ?? at;
  if (!node) return "input (none)";
  if (hasSpread(node) || node.type !== "ObjectExpression") {
    return `input ${reader.form(node, where)}`;
  }
  const parts = inputKeys.map((key) => {
    const property = propertyOf(node, key);
    return property?.type === "Property" ? reader.form(property.value, where) : "(none)";
  });
  return `input ${parts.join(" ")}`;
}
