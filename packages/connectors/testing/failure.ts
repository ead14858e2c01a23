import { ConnectorError } from "@holdfast/connector-kit";

/** How a call failed: its class and what is known of it, or the name of what was thrown. */
export async function failure(given: Promise<unknown>): Promise<string> {
  const error: unknown = await given.then(
    () => "it went well",
    (reason) => reason,
  );
  if (!(error instanceof ConnectorError))
    return error instanceof Error ? error.name : String(error);
  return `${error.class}, committed ${error.committed}`;
}
