import { encodeGrants, plainGrants } from "@holdfast/core";

/** Everything is allowed but mails, which a person is asked about. */
export function askForMail(): Uint8Array {
  return encodeGrants([
    ...plainGrants("allow", ["crm.listEnding", "files.put"]),
    ...plainGrants("ask", ["mail.send"]),
  ]);
}
