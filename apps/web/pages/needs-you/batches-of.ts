import type { Question } from "../../words/questions.ts";
import { fieldsOf, type Json, shapeOf, valueText } from "../../words/values.ts";

/** Calls that differ in their values only. */
export type BatchOf = {
  readonly name: string;
  readonly operation: string;
  readonly target: string;
  readonly questions: readonly Question[];
  /** Fields that are the same in all of them, and those that are not. */
  readonly same: readonly { readonly name: string; readonly value: Json }[];
  readonly different: readonly string[];
};

const batchMin = 2;

export function batchesOf(questions: readonly Question[]): readonly BatchOf[] {
  const groups = new Map<string, Question[]>();
  for (const question of questions) {
    const { kind, call } = question;
    // What is too large for a list is looked at by itself.
    if (kind !== "approval" || call === null || call.paramsCut !== null) continue;
    const shape = shapeOf(call.params as Json);
    const name = JSON.stringify([call.operation, call.target, shape]);
    groups.set(name, [...(groups.get(name) ?? []), question]);
  }
  return [...groups].flatMap(([name, group]) => {
    return group.length < batchMin ? [] : [batchOf(name, group)];
  });
}

function batchOf(name: string, questions: readonly Question[]): BatchOf {
  const [first] = questions;
  const fields = fieldsOf((first?.call?.params ?? null) as Json);
  const isSame = (field: string) =>
    new Set(questions.map((each) => textOf(each, field))).size === 1;
  return {
    name,
    operation: first?.call?.operation ?? "",
    target: first?.call?.target ?? "",
    questions,
    same: fields.filter((field) => isSame(field.name)),
    different: fields.map((field) => field.name).filter((field) => !isSame(field)),
  };
}

export function textOf({ call }: Question, name: string): string {
  const found = fieldsOf((call?.params ?? null) as Json).find((field) => field.name === name);
  return found === undefined ? "–" : valueText(found.value);
}
