import { isConnector } from "@holdfast/connector-kit";
import {
  type ConformanceReport,
  type Subject,
  testConnector,
} from "@holdfast/connector-kit/conformance";
import { importAuthored, unusable } from "./author-module.ts";

/** What a module has to be tried with: its default export is one subject, or a list of them. */
export async function readSubjects(path: string): Promise<readonly Subject[]> {
  const given = await importAuthored(path);
  if (isConnector(given)) {
    throw unusable(path, "it is a connector; name the file that says how it is tried");
  }
  const all: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (all.length === 0) throw unusable(path, "it has no subject");
  return all.map((each, index) => {
    const fault = faultOf(each);
    if (fault === null) return each as Subject;
    throw unusable(path, `${all.length === 1 ? "its subject" : `subject ${index + 1}`} ${fault}`);
  });
}

/** What keeps the suite from trying it has no verdict. Throws CONNECTOR_UNUSABLE. */
export async function trySubject(path: string, subject: Subject): Promise<ConformanceReport> {
  try {
    return await testConnector(subject);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw unusable(path, `${subject.name} could not be tried: ${said}`, error);
  }
}

const parts: readonly (readonly [name: keyof Subject, type: string])[] = [
  ["name", "string"],
  ["connect", "function"],
  ["operation", "string"],
  ["openService", "function"],
  ["showsAfterMs", "number"],
];

function faultOf(given: unknown): string | null {
  if (typeof given !== "object" || given === null) return "is no object";
  const has = given as Readonly<Record<string, unknown>>;
  const missing = parts.find(([name, type]) => typeof has[name] !== type);
  return missing === undefined ? null : `needs ${missing[0]}, a ${missing[1]}`;
}
