/** The one package a script may import; it stands for the guest's global `Keep`. */
export const sdkModule = "@holdfast/sdk";

/** Values that the guest's `Keep` has. Types need none: they are gone before it runs. */
export const sdkNames: readonly string[] = [
  "connection",
  "consumer",
  "continuation",
  "deadline",
  "emissions",
  "fence",
  "job",
  "join",
  "machine",
  "pending",
  "producer",
  "retry",
  "saga",
  "schema",
  "workflow",
];
