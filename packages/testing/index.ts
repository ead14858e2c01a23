/** For authors: a workflow in memory, run by the real engine, with a virtual clock. */
export type { PersonsAnswer } from "./answer-command.ts";
export { type CrashPoint, crashPoints } from "./crash-point.ts";
export { type CrashesTried, everyCrash } from "./every-crash.ts";
export type { GivenScript } from "./given-script.ts";
export type { LedgerEntry, Question, SeenEvent, SeenInput, SeenRun } from "./look.ts";
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
export { TestError, type TestErrorCode } from "./test-error.ts";
export { type TestOptions, testWorkflow } from "./test-workflow.ts";
export type { GivenEvent, WorkflowTest } from "./workflow-test.ts";
