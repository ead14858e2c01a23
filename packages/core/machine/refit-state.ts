/** A state in the form of another version. */
export type RefitState = {
  readonly machine: string;
  readonly key: Uint8Array | null;
  readonly state: Uint8Array;
};
