import type { Connected } from "@holdfast/connector-kit";
import { HostError } from "@holdfast/core";
import type { Accounts } from "../accounts.ts";

/** The accounts that are told of questions; throws where one cannot be told anything. */
export function sinksNamed(accounts: Accounts, names: readonly string[]): readonly Connected[] {
  return names.map((name) => {
    const account = accounts.named(name);
    if (account?.connector === "webhook") return account;
    const what = account === null ? "there is no such account" : `it is for ${account.connector}`;
    throw new HostError("ACCOUNTS_UNUSABLE", {
      what: `HOLDFAST_NOTIFY names ${name}, but ${what}.`,
      remedy: "Name accounts of the connector webhook, with commas between them.",
      retry: "safe",
    });
  });
}
