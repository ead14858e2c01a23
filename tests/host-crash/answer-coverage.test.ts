import { answersInSomeCases, attentionAnswers } from "@holdfast/core";
import { expect, test } from "vitest";
import { answerCoverage } from "./answer-coverage.ts";
import { answerCourses } from "./answers.ts";

const inSomeCases: Readonly<Record<string, readonly string[]>> = answersInSomeCases;
const all = Object.entries(attentionAnswers).flatMap(([kind, answers]) => {
  return [...answers, ...(inSomeCases[kind] ?? [])].map((answer) => `${kind} ${answer}`);
});
const covered = Object.entries(answerCoverage).flatMap(([kind, answers]) => {
  return Object.entries(answers).map(([answer, how]) => [`${kind} ${answer}`, how] as const);
});

test("[R134] every answer a person can give has a course of deaths", () => {
  expect(covered.map(([name]) => name).toSorted()).toEqual(all.toSorted());
});

test("no course is struck that stands for no answer", () => {
  const named = covered.flatMap(([, how]) => ("course" in how ? [how.course] : []));
  const courses = new Set<string>(["approved", "edited", ...answerCourses]);
  for (const name of named) expect(courses.has(name), name).toBe(true);
  // Not answers to a question: a brake that is released, other grants, an account that is renewed,
  // the other way to reject, and nobody who answers.
  const others = ["braked", "granted", "renewed", "stopped", "expired"];
  expect([...courses].filter((name) => !others.includes(name)).toSorted()).toEqual(
    [...new Set<string>(named)].toSorted(),
  );
});
