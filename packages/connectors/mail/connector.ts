import { ConnectorError, defineConnector, type OperationCall } from "@holdfast/connector-kit";
import type { CanonicalValue } from "@holdfast/core";
import { z } from "zod";
import { connectTo } from "../wire/connect.ts";
import { knownOf } from "../wire/exchange.ts";
import { type MailAccount, placeOf, portOf, readAccount } from "./account.ts";
import { type MailParams, readParams } from "./params.ts";
import { submit } from "./submit.ts";

const taken = z.strictObject({ accepted: z.array(z.string()), rejected: z.array(z.string()) });

/**
 * Plain text to the people an account names. A server that has taken a mail cannot be asked for it,
 * and not every one tells a repeat by its id: what is unknown is a question.
 */
export const mail = defineConnector<MailAccount>({
  name: "mail",
  version: "1",
  readAccount,
  operations: {
    send: {
      kind: "mutation",
      capability: "mail:send",
      risk: "medium",
      // To whom it goes is the account's.
      scopes: [
        { name: "recipients", at: null },
        { name: "subject", at: "/subject" },
        { name: "content", at: "/text" },
      ],
      readParams,
      identity: ({ subject, ref }: MailParams) => ({ subject, ref: ref ?? null }),
      target: placeOf,
      describe: ({ to }, { subject }: MailParams) => `mail "${subject}" to ${to.join(", ")}`,
      execute: send,
      checkResult,
    },
  },
});

/** One connection for one mail; `go` is asked before the first byte of it. */
async function send(call: OperationCall<MailAccount, MailParams>): Promise<CanonicalValue> {
  const { account, timeoutMs, signal } = call;
  const { host, allowPrivateAddresses } = account;
  const isTls = account.security === "tls";
  const place = { host, port: portOf(account), isTls, timeoutMs, allowPrivateAddresses, signal };
  const socket = await connectTo(place).catch((error: unknown) => {
    throw knownOf(error);
  });
  try {
    call.go();
    return await submit(socket, call);
  } finally {
    socket.destroy();
  }
}

function checkResult(given: CanonicalValue): void {
  const read = taken.safeParse(given);
  if (read.success) return;
  const [issue] = read.error.issues;
  const path = issue?.path.map((part) => `/${String(part)}`).join("") || "/";
  throw new ConnectorError("logic", "no", `${path}: ${issue?.message ?? "not valid"}`);
}
