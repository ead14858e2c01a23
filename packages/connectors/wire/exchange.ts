import { ConnectorError } from "@holdfast/connector-kit";
import { NotAllowed, NotReached } from "./connect.ts";
import { type HttpAnswer, type HttpRequest, request } from "./request.ts";

/**
 * The one request of a change. What failed before its first byte says so; what is thrown besides
 * is no ConnectorError, and counts as unknown.
 */
export async function exchangeOnce(sent: HttpRequest): Promise<HttpAnswer> {
  try {
    return await request(sent);
  } catch (error) {
    throw knownOf(error);
  }
}

/** What failed before the first byte, said so; anything else as it is. */
export function knownOf(error: unknown): unknown {
  if (error instanceof NotReached) {
    return new ConnectorError("transient", "no", error.message, { cause: error });
  }
  if (error instanceof NotAllowed) {
    return new ConnectorError("precondition", "no", error.message, { cause: error });
  }
  return error;
}

/** A read changes nothing, so what is not known of it is worth another try. */
export async function exchangeRead(sent: HttpRequest): Promise<HttpAnswer> {
  try {
    return await exchangeOnce(sent);
  } catch (error) {
    if (error instanceof ConnectorError) throw error;
    const text = error instanceof Error ? error.message : String(error);
    throw new ConnectorError("transient", "no", text, { cause: error });
  }
}
