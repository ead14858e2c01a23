import { operations, roles } from "@holdfast/protocol";
import { describe, expect, test } from "vitest";
import { notByVisit, routeRoles } from "../api/least-role.ts";
import { describeApi } from "./describe-api.ts";

type Described = {
  readonly operationId: string;
  readonly summary: string;
  readonly "x-least-role": string;
  readonly security: readonly object[];
  readonly parameters: readonly { name: string; in: string; schema: object }[];
  readonly requestBody?: { readonly content: object };
  readonly responses: Readonly<Record<string, { description: string; content: object }>>;
};

const api = describeApi();
const described = Object.entries(api.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, each]) => {
    return { path, method, operation: each as unknown as Described };
  }),
);

/** Every object in it, with where it stands. */
function* objectsIn(value: unknown, place = "#"): Generator<readonly [string, object]> {
  if (typeof value !== "object" || value === null) return;
  yield [place, value];
  for (const [key, each] of Object.entries(value)) {
    yield* objectsIn(each, `${place}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  }
}

const routeOf = (path: string) => path.replaceAll(/:(\w+)(\{\.\+\})?/g, "{$1}");

describe("the description of the API", () => {
  test("has every route that may be asked for, with its role, and no other", () => {
    expect(Object.keys(operations).sort()).toEqual(Object.keys(routeRoles).sort());
    const told = described.map(({ path, method, operation }) => {
      return [`${method.toUpperCase()} ${path}`, operation["x-least-role"]];
    });
    const known = Object.entries(routeRoles).map(([route, least]) => [routeOf(route), least]);
    expect(told.toSorted()).toEqual(known.toSorted());
  });

  test("says by which ways whoever may ask comes in", () => {
    for (const [route, least] of Object.entries(routeRoles)) {
      const [method = "", path = ""] = routeOf(route).split(" ");
      const operation = api.paths[path]?.[method.toLowerCase()] as unknown as Described;
      const ways = operation.security.flatMap((each) => Object.keys(each));
      const isOpen = !roles.some((role) => role === least);
      const expected = isOpen ? [] : notByVisit.has(route) ? ["token"] : ["token", "visit"];
      expect([route, ways]).toEqual([route, expected]);
    }
  });

  test("is a whole OpenAPI document: names are there once, references lead somewhere", () => {
    expect(api.openapi).toMatch(/^3\.1\.\d$/);
    const ids = described.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const places = new Map(objectsIn(api));
    for (const [place, each] of places) {
      if (!("$ref" in each)) continue;
      expect([place, places.has(String(each.$ref))]).toEqual([place, true]);
    }
    const names = Object.keys(api.components["schemas"] ?? {});
    expect(names).toEqual(expect.arrayContaining(["Problem", "Verdict", "Run", "Question"]));
    for (const name of names) expect(name).toMatch(/^[\w.-]+$/);
    expect(JSON.stringify(api)).not.toMatch(/"\$defs"|"#\/\$defs|"readOnly"|"\$schema"/);
  });

  test("each has its parameters, what it takes, what it answers and how it says no", () => {
    for (const { path, method, operation } of described) {
      const inPath = operation.parameters.filter((each) => each.in === "path");
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(inPath.map(({ name }) => name)).toEqual(names);
      if (method === "get") expect(operation).not.toHaveProperty("requestBody");
      const { default: problem, ...answers } = operation.responses;
      expect(problem?.content).toEqual({
        "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
      });
      expect(Object.keys(answers).length).toBeGreaterThan(0);
      for (const each of Object.values(answers)) expect(each.description).not.toBe("");
    }
  });

  test("is made of what requests are read with", () => {
    const post = api.paths["/api/v1/tokens"]?.["post"] as unknown as Described;
    expect(post.requestBody?.content).toMatchObject({
      "application/json": {
        schema: {
          required: ["name", "role"],
          properties: { role: { enum: ["executor", "viewer", "operator", "admin"] } },
          additionalProperties: false,
        },
      },
    });
    const runs = api.paths["/api/v1/workflows/{workflow}/runs"]?.["get"] as unknown as Described;
    const limit = runs.parameters.find(({ name }) => name === "limit");
    expect(limit?.schema).toMatchObject({ minimum: 1, maximum: 500, default: 50 });
  });
});
