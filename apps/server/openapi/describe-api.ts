import {
  idempotencyHeader,
  type Operation,
  operations,
  pageHeader,
  problemAnswer,
  waitHeader,
} from "@holdfast/protocol";
import type { z } from "zod";
import { notByVisit, routeRoles } from "../api/least-role.ts";
import { type Components, type JsonSchema, jsonSchemaOf } from "./json-schema.ts";

type Parts = {
  readonly route: string;
  readonly path: string;
  readonly id: string;
  readonly components: Components;
};

export type OpenApi = {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Record<string, JsonSchema>>>;
  readonly components: Readonly<Record<string, object>>;
} & JsonSchema;

/** The whole API as OpenAPI 3.1, from the schemas that requests are read with and the roles. */
export function describeApi(): OpenApi {
  const components: Components = {};
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const [route, operation] of Object.entries(operations)) {
    const [method = "", pattern = ""] = route.split(" ");
    const path = pattern.replaceAll(/:(\w+)(\{\.\+\})?/g, "{$1}");
    const parts = { route, path, id: idOf(method, path), components };
    paths[path] = { ...paths[path], [method.toLowerCase()]: described(operation, parts) };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Holdfast",
      version: "1",
      description: "Every request needs at least the role in x-least-role; see docs/people.md.",
    },
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    paths,
    components: { schemas: components, securitySchemes },
  };
}

const securitySchemes = {
  token: { type: "http", scheme: "bearer" },
  visit: {
    type: "apiKey",
    in: "cookie",
    name: "holdfast-visit-7433",
    description:
      "From POST /login; its name ends with the port. " +
      `What changes something also needs the header ${pageHeader}.`,
  },
};

function idOf(method: string, path: string): string {
  const words = path.replace("/api/v1", "").match(/\w+/g) ?? [];
  return [method.toLowerCase(), ...words].join("_");
}

function described(operation: Operation, parts: Parts): JsonSchema {
  const { does, request } = operation;
  const least = routeRoles[parts.route];
  const body = request && jsonSchemaOf(request, `${parts.id}_request`, parts.components);
  return {
    operationId: parts.id,
    summary: does,
    "x-least-role": least,
    security: least === "anyone" || least === "hook" ? [] : waysIn(parts.route),
    parameters: [...inPath(parts.path), ...inQuery(operation, parts), ...inHeader(operation)],
    ...(body && { requestBody: { required: true, content: json(body) } }),
    responses: responsesOf(operation, parts),
  };
}

function waysIn(route: string): readonly object[] {
  return notByVisit.has(route) ? [{ token: [] }] : [{ token: [] }, { visit: [] }];
}

function inPath(path: string): readonly object[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
}

function inQuery({ query }: Operation, { id, components }: Parts): readonly object[] {
  if (query === undefined) return [];
  const { properties = {} } = jsonSchemaOf(query, `${id}_query`, components) as {
    properties?: Readonly<Record<string, JsonSchema>>;
  };
  return Object.entries(properties).map(([name, schema]) => ({ name, in: "query", schema }));
}

function inHeader({ isCommand }: Operation): readonly object[] {
  if (isCommand === undefined) return [];
  return [
    { name: idempotencyHeader, in: "header", schema: { type: "string" } },
    { name: "if-match", in: "header", schema: { type: "string" } },
    { name: waitHeader, in: "header", schema: { type: "number", minimum: 0 } },
  ];
}

function responsesOf({ answers, does }: Operation, { id, components }: Parts): JsonSchema {
  const problem = jsonSchemaOf(problemAnswer, "problem", components);
  const responses: Record<string, JsonSchema> = {
    default: {
      description: "why not",
      content: { "application/problem+json": { schema: problem } },
    },
  };
  for (const [status, answer] of Object.entries(answers)) {
    responses[status] = { description: does, content: contentOf(answer, id, components) };
  }
  return responses;
}

function contentOf(answer: z.ZodType | string, id: string, components: Components): JsonSchema {
  if (typeof answer === "string") return { [answer]: { schema: { type: "string" } } };
  return json(jsonSchemaOf(answer, id, components));
}

function json(schema: JsonSchema): JsonSchema {
  return { "application/json": { schema } };
}
