import type { Manifest } from "../manifest/manifest.ts";
import type { Known } from "./known.ts";
import type { ProblemCode } from "./problem-codes.ts";

/** Something to say about a part of the definition; where it stands is found in the source. */
export type Located = {
  readonly path: readonly string[];
  readonly code: ProblemCode;
  readonly cause: string;
  readonly hint: string;
};

export type CheckInput = {
  readonly manifest: Manifest;
  readonly complete: boolean; // false = parts with faults are left out of the manifest
  readonly located: readonly Located[];
  readonly known: Known;
};
