/** What one step may say, and how much may be open at once. Counted in the units of the name. */
export type MachineLimits = {
  readonly stepEffectsMax: number;
  readonly stepEventsMax: number;
  readonly stepBytesMax: number;
  readonly cascadeLevelsMax: number;
  readonly eventBytesMax: number;
  readonly payloadBytesMax: number;
  readonly mailboxEntriesMax: number;
  readonly openIntentsMax: number;
  readonly openIntentsPerCellMax: number;
  readonly openIntentsPerEffectMax: number;
};

export const machineLimits: MachineLimits = {
  stepEffectsMax: 64,
  stepEventsMax: 256,
  stepBytesMax: 1_048_576,
  /** Events caused by events, from one outside input; machines that wake each other end here. */
  cascadeLevelsMax: 64,
  /** Of an event from outside; what a step says has the limit above. */
  eventBytesMax: 1_048_576,
  /** Of a receipt or a frame; whoever executes says `error` instead, or keeps it as a blob. */
  payloadBytesMax: 16_777_216,
  /** Outside events beyond it are refused; what machines send each other has the limit above. */
  mailboxEntriesMax: 100_000,
  openIntentsMax: 100_000,
  openIntentsPerCellMax: 1_000,
  openIntentsPerEffectMax: 50_000,
};
