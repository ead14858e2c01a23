import { StateFault } from "@holdfast/core/machine";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { answerProblem } from "./problem.ts";

test.each([
  ["state.missing", "BLOB_MISSING"],
  ["state.altered", "BLOB_CORRUPT"],
  ["snapshot.lineage", "BLOB_CORRUPT"],
] as const)(
  "[M.K7.7-2] who reads machines whose snapshot is damaged (%s) is told so: %s",
  async (fault, code) => {
    const app = new Hono().get("/", () => {
      throw new StateFault(fault, "sha256:00");
    });
    app.onError((error, context) => answerProblem(context, error));
    const answer = await app.request("/");
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code, detail: expect.stringContaining(fault) });
  },
);
