import { HostError } from "@holdfast/core";
import { DatabaseError } from "pg";
import { expect, test } from "vitest";
import { AnswerTimeout, isSurelyNotWritten, storeError } from "./errors.ts";

function said(code: string): DatabaseError {
  const error = new DatabaseError("what the server said", 0, "error");
  error.code = code;
  return error;
}

/** The server is going down, gone or out of its mind: the change may be there. */
const mayBeThere = [
  "08006",
  "08P01",
  "40003",
  "57P01",
  "57P02",
  "57P03",
  "57P05",
  "58030",
  "XX000",
];
const isNotThere = [
  "22001",
  "23505",
  "25006",
  "28P01",
  "3F000",
  "40001",
  "40P01",
  "42501",
  "42883",
];
const alsoNotThere = ["53100", "53300", "54001", "55000", "55P03", "57014", "HF002", "P0001"];

test.each([
  ...mayBeThere.map((state) => ({ state, surely: false })),
  ...[...isNotThere, ...alsoNotThere].map((state) => ({ state, surely: true })),
])("after $state a change is surely not written: $surely", ({ state, surely }) => {
  expect(isSurelyNotWritten(said(state))).toBe(surely);
  const error = storeError(said(state), { place: "here", doing: "commit" });
  expect(error).toMatchObject({ retry: surely ? "safe" : "unknown" });
});

test.each([
  new AnswerTimeout("no answer"),
  new Error("Connection terminated unexpectedly"),
  Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }),
])("what the network says proves nothing: $message", (error) => {
  expect(isSurelyNotWritten(error)).toBe(false);
  const told = storeError(error, { place: "here", doing: "commit" });
  expect(told).toMatchObject({ code: "STORE_UNREACHABLE", retry: "unknown" });
});

test("what went wrong before anything was sent is surely not written", () => {
  const situation = { place: "here", doing: "commit" };
  const error = storeError(new Error("connect ECONNREFUSED"), situation, { sent: false });
  expect(isSurelyNotWritten(error)).toBe(true);
});

test("a mistake of our own is not dressed up as one of the server", () => {
  const mistake = new TypeError("undefined is not a function");
  expect(storeError(mistake, { place: "here", doing: "commit" })).toBe(mistake);
  expect(mistake).not.toBeInstanceOf(HostError);
});

const here = { place: "here", doing: "commit" };

/** The remedy has to be one for what happened, and not for something else of the same class. */
test.each([
  { state: "40P01", says: /another transaction stood in the way .*Nothing was written; try again/ },
  { state: "40001", says: /another transaction stood in the way .*Nothing was written; try again/ },
  { state: "55P03", says: /did not give a lock in time .*Nothing was written; try again/ },
  { state: "57014", says: /stopped the statement .*Nothing was written.*statement_timeout/ },
  { state: "53200", says: /no memory left.*Nothing was written/ },
  { state: "53300", says: /no connection left.*Nothing was written. Raise max_connections/ },
])("$state is told as what it is", ({ state, says }) => {
  const error = storeError(said(state), here);
  expect(error).toMatchObject({ code: "STORE_BUSY", retry: "safe" });
  expect(error.message).toMatch(says);
  if (state !== "53300") expect(error.message).not.toContain("max_connections");
});

test("a missing grant is told with the command that gives it, a wrong password is not", () => {
  expect(storeError(said("42501"), here).message).toContain("schema apply --grant <role>");
  const password = storeError(said("28P01"), here);
  expect(password).toMatchObject({ code: "STORE_ACCESS_DENIED" });
  expect(password.message).not.toContain("--grant");
});

test("a database that changed under way may be a copy, and is told with what accepts it", () => {
  const { message } = storeError(said("HF002"), here);
  expect(message).toContain("is a copy");
  expect(message).toContain("holdfast accept-restored --ledger-compared");
});

test.each([
  { code: "SELF_SIGNED_CERT_IN_CHAIN", says: /certificate is not accepted .*sslrootcert=/ },
  { code: "DEPTH_ZERO_SELF_SIGNED_CERT", says: /certificate is not accepted .*sslrootcert=/ },
  { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE", says: /certificate is not accepted .*sslrootcert=/ },
  { code: "CERT_HAS_EXPIRED", says: /certificate is not accepted/ },
  { code: "ERR_TLS_CERT_ALTNAME_INVALID", says: /has to stand in the certificate/ },
  { code: "EPROTO", says: /TLS connection did not come about .*sslmode/ },
  { code: "ERR_SSL_WRONG_VERSION_NUMBER", says: /TLS connection did not come about .*sslmode/ },
])("$code is told as a failure of TLS", ({ code, says }) => {
  const failure = Object.assign(new Error("what the library said"), { code });
  const error = storeError(failure, here, { sent: false });
  expect(error).toMatchObject({ code: "STORE_UNREACHABLE", retry: "safe" });
  expect(error.message).toMatch(says);
  expect(error.message).not.toContain("Check that the server runs");
});

test("a server without TLS is told apart from one that is down", () => {
  const failure = new Error("The server does not support SSL connections");
  const { message } = storeError(failure, here, { sent: false });
  expect(message).toMatch(/does not offer TLS, which sslmode asks for .*sslmode=disable/);
});
