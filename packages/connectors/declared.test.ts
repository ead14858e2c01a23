import { defineConnector, type OperationCall } from "@holdfast/connector-kit";
import { expect, test } from "vitest";
import { http, mail, webhook } from "./index.ts";

const table = `
http.get      http:read    low    path=/path query=/query
http.list     http:read    low    path=/path query=/query
http.post     http:write   medium path=/path query=/query content=/body
http.put      http:write   medium path=/path query=/query content=/body
http.patch    http:write   medium path=/path query=/query content=/body
http.delete   http:delete  high   path=/path query=/query content=/body
mail.send     mail:send    medium recipients=? subject=/subject content=/text
webhook.send  webhook:push medium receiver=? event=/event content=/data
`;

test("[R85, R131] each operation says what it gives power over, how risky, and its scopes", () => {
  const said = [http, mail, webhook].flatMap(({ name, declared }) =>
    Object.entries(declared).map(([operation, { capability, risk, scopes }]) => {
      const told = scopes.map((scope) => `${scope.name}=${scope.at ?? "?"}`);
      return [`${name}.${operation}`, capability, risk, ...told].join(" ");
    }),
  );
  const wanted = table.trim().split("\n");
  expect(said).toEqual(wanted.map((line) => line.replace(/ +/g, " ")));
});

test("[R85] what declares nothing is high risk if it changes something", () => {
  const operation = (kind: "mutation" | "metered" | "read:byKey") => ({
    kind,
    readParams: (given: unknown) => given,
    identity: () => null,
    target: () => "",
    describe: () => "",
    execute: async (_: OperationCall<{ timeoutMs: number }, unknown>) => null,
  });
  const { declared, connect } = defineConnector<{ timeoutMs: number }>({
    name: "shop",
    version: "1",
    readAccount: () => ({ timeoutMs: 1 }),
    operations: {
      book: operation("mutation"),
      weigh: operation("metered"),
      look: operation("read:byKey"),
    },
  });
  expect(declared).toEqual({
    book: { capability: "shop:book", risk: "high", scopes: [] },
    weigh: { capability: "shop:weigh", risk: "medium", scopes: [] },
    look: { capability: "shop:look", risk: "low", scopes: [] },
  });
  const { operations } = connect("shop", {});
  expect(operations["book"]?.declared).toEqual(declared["book"]);
});

const account = { connector: "http", baseUrl: "https://shop.example" };

test("[R77] which change a call is hangs on what its operation says, and on no payload", () => {
  const { operations } = http.connect("shop", account);
  const identity = (params: object) => operations["post"]?.admit(params).identity;
  const one = { path: "/orders", ref: "4711" };
  expect(identity({ ...one, body: { sum: 1 } })).toEqual(identity({ body: { sum: 2 }, ...one }));
  expect(identity({ ...one, ref: "4712" })).not.toEqual(identity(one));
  expect(identity({ ...one, path: "/bills" })).not.toEqual(identity(one));
});
