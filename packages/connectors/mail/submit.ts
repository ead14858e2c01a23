import type { Socket } from "node:net";
import { ConnectorError, type OperationCall } from "@holdfast/connector-kit";
import type { CanonicalValue } from "@holdfast/core";
import { createTransport } from "nodemailer";
import { hiderOf, type MailAccount } from "./account.ts";
import type { MailParams } from "./params.ts";

/**
 * Says all of it on a connection that is open. Throws ConnectorError where the server itself said
 * that it did not take the mail; whatever else goes wrong leaves it unknown.
 */
export async function submit(
  socket: Socket,
  { account, params, key, timeoutMs, signal }: OperationCall<MailAccount, MailParams>,
): Promise<CanonicalValue> {
  const { from, to } = account;
  const end = () => socket.destroy();
  const patience = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  patience.addEventListener("abort", end);
  try {
    const { subject, text } = params;
    // The same for every try of these bytes, so that who reads mail can tell a repeat.
    const messageId = key === null ? undefined : `<${key}@holdfast.invalid>`;
    const headers = { "auto-submitted": "auto-generated" };
    const sent = { from, to, subject, text, messageId, headers };
    const access = { disableFileAccess: true, disableUrlAccess: true };
    const { accepted, rejected } = await transportOn(socket, account).sendMail({
      ...sent,
      ...access,
    });
    return { accepted: accepted.map(String), rejected: rejected.map(String) };
  } catch (error) {
    throw known(error, account, patience.aborted);
  } finally {
    patience.removeEventListener("abort", end);
  }
}

function transportOn(socket: Socket, { host, security, user, password }: MailAccount) {
  const auth = user === undefined || password === undefined ? {} : { user, pass: password };
  return createTransport({
    connection: socket,
    host,
    secure: security === "tls",
    secured: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security !== "starttls",
    // A server that offers no sign-in is not written to as nobody.
    ...(user === undefined ? {} : { auth, forceAuth: true }),
  });
}

type SmtpError = Error & {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
};

/** By where in the talk it was, and by the number the server said; never by a text. */
function known(error: unknown, account: MailAccount, isLate: boolean): Error {
  const said = error as SmtpError;
  const text = hiderOf(account)(isLate ? "it took too long" : said.message);
  const { code, responseCode = 0 } = said;
  const isRefused = responseCode >= 400 && responseCode <= 599;
  if (code === "ETLS") return new ConnectorError("transient", "no", text);
  if (code === "EAUTH" && isRefused) {
    return new ConnectorError(responseCode >= 500 ? "auth" : "transient", "no", text);
  }
  if ((code === "EENVELOPE" || code === "EMESSAGE") && isRefused) {
    return new ConnectorError(responseCode >= 500 ? "logic" : "transient", "no", text);
  }
  return new Error(text);
}
