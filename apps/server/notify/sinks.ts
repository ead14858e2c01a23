import type { Connected } from "@holdfast/connector-kit";
import { HostError } from "@holdfast/core";
import type { Accounts } from "../accounts.ts";
import { mailOf, type News } from "./mail-text.ts";

/** An account that is told of questions, and how its connector's `send` is told. */
export type Sink = { readonly account: Connected; readonly paramsOf: (news: News) => unknown };

const ways: Readonly<Record<string, Sink["paramsOf"]>> = {
  webhook: (news) => news,
  mail: mailOf,
};

/** The accounts that are told of questions; throws where one cannot be told anything. */
export function sinksNamed(accounts: Accounts, names: readonly string[]): readonly Sink[] {
  return names.map((name) => {
    const account = accounts.named(name);
    const paramsOf = account === null ? undefined : ways[account.connector];
    if (account !== null && paramsOf !== undefined) return { account, paramsOf };
    const what = account === null ? "there is no such account" : `it is for ${account.connector}`;
    throw new HostError("ACCOUNTS_UNUSABLE", {
      what: `HOLDFAST_NOTIFY names ${name}, but ${what}.`,
      remedy: `Name accounts of ${Object.keys(ways).join(" or ")}, with commas between them.`,
      retry: "safe",
    });
  });
}
