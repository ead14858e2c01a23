/** Machines: what a thread needs that runs their steps, and nothing of the kernel. */
export type { ChainAnswer, StepChain } from "./chain.ts";
export { compileSet } from "./compile-set.ts";
export type { SetDeclaration } from "./declaration.ts";
export type { MachineSet } from "./machine-set.ts";
export type { MigrationCall } from "./migration.ts";
export { type StepAnswer, type StepCall, type StepOutput, seedOf } from "./step.ts";
export { closeStepText, type KnownOfStep, stepTexts } from "./step-texts.ts";
export { guestTexts } from "./tagged-json.ts";
