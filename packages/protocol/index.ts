export type {
  AffectedRun,
  AskerAnswer,
  BrakeAllAnswer,
  DeployAnswer,
  GrantsAnswer,
  GrantsDiffAnswer,
  GrantsSetAnswer,
  HealthAnswer,
  LoginCodeAnswer,
  MutationLabel,
  NewTokenAnswer,
  PolicyValue,
  ProblemAnswer,
  ReadyAnswer,
  RepairAnswer,
  ResumeAnswer,
  TokenAnswer,
  VerdictAnswer,
  WorkflowAnswer,
} from "./answers.ts";
export { problemAnswer } from "./answers.ts";
export { idempotencyHeader, pageHeader, waitHeader } from "./headers.ts";
export type {
  InputsAnswer,
  OutputsAnswer,
  QuestionAnswer,
  QuestionsAnswer,
  RunsAnswer,
  TraceAnswer,
  WedgesAnswer,
  WhyOfAnswer,
} from "./items.ts";
export { type Operation, operations } from "./operations.ts";
export {
  type AnswerRequest,
  answerRequest,
  brakeAllRequest,
  type CommandRequest,
  commandRequest,
  type DeployRequest,
  deployRequest,
  type GrantsRequest,
  grantsRequest,
  loginRequest,
  pageRequest,
  type ReadDeployRequest,
  type TokenRequest,
  tokenRequest,
} from "./requests.ts";
export { isAtLeast, type Role, roles } from "./roles.ts";
