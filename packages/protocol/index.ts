export type {
  AffectedRun,
  AskerAnswer,
  BrakeAllAnswer,
  DeployAnswer,
  HealthAnswer,
  LoginCodeAnswer,
  MutationLabel,
  NewTokenAnswer,
  PolicyValue,
  ProblemAnswer,
  RepairAnswer,
  ResumeAnswer,
  TokenAnswer,
  VerdictAnswer,
  WorkflowAnswer,
} from "./answers.ts";
export { idempotencyHeader, pageHeader, waitHeader } from "./headers.ts";
export {
  type AnswerRequest,
  answerRequest,
  brakeAllRequest,
  type CommandRequest,
  commandRequest,
  type DeployRequest,
  deployRequest,
  loginRequest,
  pageRequest,
  type ReadDeployRequest,
  type TokenRequest,
  tokenRequest,
} from "./requests.ts";
export { isAtLeast, type Role, roles } from "./roles.ts";
