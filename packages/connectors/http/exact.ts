import { ConnectorError, type ExactForm } from "@holdfast/connector-kit";
import type { CanonicalValue } from "@holdfast/core";
import type { Schema } from "@holdfast/core/canonical";

const text: Schema = { type: "text" };
const option = (inner: Schema): Schema => ({ type: "option", inner });

const read = {
  path: text,
  query: option({ type: "map", key: text, value: text }),
  /** The body, as JSON. */
  json: option(text),
  ref: option(text),
  /** Names of secrets, by the header that takes each. */
  secretHeaders: option({ type: "map", key: text, value: text }),
} as const;

/** A body is whatever the service says, so it crosses as the text of its JSON. */
function formOf(params: ExactForm["params"], nothing: number): ExactForm {
  return {
    params,
    result: { type: "record", fields: { status: { type: "nat" }, json: text } },
    open: ({ json, ...rest }) => (json === undefined ? rest : { ...rest, body: parsed(json) }),
    close: (result) => {
      const { status, body } = (result ?? { status: nothing, body: null }) as Answer;
      return { status, json: JSON.stringify(body) };
    },
  };
}

type Answer = { readonly status: number; readonly body: CanonicalValue };

function parsed(json: CanonicalValue): CanonicalValue {
  try {
    return JSON.parse(String(json)) as CanonicalValue;
  } catch {
    throw new ConnectorError("logic", "no", "json: it is not JSON");
  }
}

/** Nothing was there. */
export const exactRead = formOf(read, 404);
/** It happened, and what was answered is lost. */
export const exactChange = formOf({ ...read, ifMatch: option(text) }, 200);
