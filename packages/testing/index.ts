/** For authors: a workflow in memory, run by the real engine, with a virtual clock. */
export type { PersonsAnswer } from "./answer-command.ts";
export { type CrashPoint, crashPoints } from "./crash-point.ts";
export { type CrashesTried, everyCrash } from "./every-crash.ts";
export type { GivenScript } from "./given-script.ts";
export type { LedgerEntry, Question, SeenEvent, SeenInput, SeenRun } from "./look.ts";
export {
  type CellEnd,
  type CellHistory,
  type GivenStep,
  MachineTest,
  type StepGives,
  type StepRow,
} from "./machine-test.ts";
export type { SeenCell } from "./machines.ts";
export {
  type CallDetails,
  type ExactOperation,
  fails,
  type Given,
  inTurn,
  losesAnswer,
  metered,
  mutation,
  type Params,
  rateLimited,
  read,
  type ScriptedConnections,
  type ScriptedFailure,
  type ScriptedOperation,
  Trouble,
  timesOut,
} from "./operations.ts";
export type { SeenCall, SentMutation } from "./scripted-outside.ts";
export type { SeenEffect, SeenEmission, SeenStep } from "./seen-step.ts";
export { type AnsweredEffect, receipt, type StepReceipt } from "./step-receipt.ts";
export { TestError, type TestErrorCode } from "./test-error.ts";
export { type MachineTestOptions, testMachine } from "./test-machine.ts";
export { type TestOptions, testWorkflow } from "./test-workflow.ts";
export type { GivenEvent, WorkflowTest } from "./workflow-test.ts";
