import {
  type AdmittedCall,
  type ConnectedOperation,
  ConnectorError,
  type Hide,
  hideInValue,
  hiding,
  NotSent,
} from "@holdfast/connector-kit";
import type { CanonicalValue } from "@holdfast/core";

/** What the names of secrets stand for; only whoever sends a call asks. */
export interface Secrets {
  /** In a call with this account. The reason is for people, and holds nothing of the value. */
  reveal(
    name: string,
    account: string,
  ): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };
}

/** Of a version that declares none. */
export const noSecrets: Secrets = {
  reveal: (name) => ({ ok: false, why: `the secret ${name} is not declared by the script` }),
};

type Given = {
  readonly operation: ConnectedOperation;
  readonly params: CanonicalValue;
  readonly account: string;
  readonly secrets: Secrets;
};

type Revealed = { readonly params: CanonicalValue; readonly texts: readonly string[] };

/**
 * A copy of the parameters with what the references in it stand for; null = it has none. What is
 * recorded, judged and shown is what was given. Throws ConnectorError if one cannot be had.
 */
export function reveal({ operation, params, account, secrets }: Given): Revealed | null {
  const fields = operation.secretParams.filter((field) => isRecord(params) && field in params);
  if (!isRecord(params) || fields.length === 0) return null;
  const texts: string[] = [];
  const copy: Record<string, CanonicalValue> = { ...params };
  for (const field of fields) {
    const references = Object.entries(params[field] ?? {}).map(([key, name]) => {
      const found = secrets.reveal(String(name), account);
      if (!found.ok) throw new ConnectorError("precondition", "no", found.why);
      texts.push(found.text);
      return [key, found.text];
    });
    copy[field] = Object.fromEntries(references) as CanonicalValue;
  }
  return { params: copy, texts };
}

/** The call as it is made. Whatever comes back, the values are taken out of it. */
export function revealedCall(
  operation: ConnectedOperation,
  { params, texts }: Revealed,
): AdmittedCall {
  const hide = hiding(texts);
  const hidden = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      const said = await work();
      return said === undefined ? said : (hiddenIn(said, hide) as T);
    } catch (error) {
      throw without(error, hide);
    }
  };
  const admitted = admit(operation, params, hide);
  return {
    ...admitted,
    execute: ({ frame, ...call }) =>
      hidden(() =>
        admitted.execute({ ...call, ...(frame && { frame: hiddenFrame(frame, hide) }) }),
      ),
    reconcile: (call) => hidden(() => admitted.reconcile(call)),
  };
}

type Frame = (kind: string, payload: CanonicalValue) => void;

function hiddenFrame(frame: Frame, hide: Hide): Frame {
  return (kind, payload) => frame(hide(kind), hiddenIn(payload, hide));
}

function hiddenIn(said: unknown, hide: Hide): CanonicalValue {
  return hideInValue(JSON.parse(JSON.stringify(said)) as CanonicalValue, hide);
}

function admit(operation: ConnectedOperation, params: CanonicalValue, hide: Hide): AdmittedCall {
  try {
    return operation.admit(params);
  } catch (error) {
    throw without(error, hide);
  }
}

function without(error: unknown, hide: Hide): unknown {
  if (error instanceof NotSent) return error;
  if (error instanceof ConnectorError) {
    const { class: kind, committed, message, retryAfterMs } = error;
    return new ConnectorError(kind, committed, hide(message), { retryAfterMs });
  }
  return new Error(hide(error instanceof Error ? error.message : String(error)));
}

function isRecord(value: CanonicalValue): value is Readonly<Record<string, CanonicalValue>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
