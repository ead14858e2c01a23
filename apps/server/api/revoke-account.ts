import type { RevokeAnswer } from "@holdfast/protocol";
import type { Accounts } from "../accounts.ts";
import { ApiProblem } from "./problem.ts";

/**
 * After an account was taken out of the file: this host forgets it at once. As long as the file has
 * it, the next start would bring it back.
 */
export function revokeAccount(accounts: Accounts, account: string): RevokeAnswer {
  switch (accounts.revoke(account)) {
    case "revoked":
      return { account, isRevoked: true };
    case "in_file":
      throw new ApiProblem(409, "COMMAND_REFUSED", `The accounts file still has ${account}.`, {
        remedy: "Take it out of the file, then revoke it.",
      });
    case "unknown":
      throw new ApiProblem(404, "ACCOUNT_MISSING", `This host has no account ${account}.`, {
        remedy: "Look at the names in its accounts file.",
      });
  }
}
