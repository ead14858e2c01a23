import type { CanonicalValue } from "@holdfast/core";
import type { Schema } from "@holdfast/core/canonical";

/**
 * An operation as machines may ask for it: parameters and result as exact values, without
 * fractions. What a service says in JSON crosses as text.
 */
export type ExactForm = {
  /** Of the parameters, without the connection. */
  readonly params: Readonly<Record<string, Schema>>;
  readonly result: Schema;
  /** What the operation itself takes. Throws for what it cannot read. */
  readonly open: (given: Readonly<Record<string, CanonicalValue>>) => CanonicalValue;
  readonly close: (result: CanonicalValue) => CanonicalValue;
};
