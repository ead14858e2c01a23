import type { Connector } from "@holdfast/connector-kit";
import { contentHash } from "@holdfast/core";
import type { EffectDeclaration } from "@holdfast/core/machine";

/**
 * What machines may ask of a connector: `<connector>/<operation>@1`. Which connection it uses is
 * one of the parameters.
 */
export function effectsOf({ name, version, kinds, exact }: Connector): EffectDeclaration[] {
  const moduleHash = contentHash([name, version]);
  return Object.entries(exact).map(([operation, { params, result }]) => ({
    name: `${name}/${operation}@1`,
    kind: kinds[operation] === "mutation" ? "mutation" : "read",
    params: { type: "record", fields: { connection: { type: "text" }, ...params } },
    receipt: result,
    error: null,
    executor: { module: `connector/${name}@1`, moduleHash, entrypoint: operation },
  }));
}
