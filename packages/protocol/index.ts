export type {
  BrakeAllAnswer,
  DeployAnswer,
  HealthAnswer,
  PolicyValue,
  ProblemAnswer,
  RepairAnswer,
  VerdictAnswer,
  WorkflowAnswer,
} from "./answers.ts";
export { actorHeader, idempotencyHeader, waitHeader } from "./headers.ts";
export {
  type AnswerRequest,
  answerRequest,
  brakeAllRequest,
  type CommandRequest,
  commandRequest,
  type DeployRequest,
  deployRequest,
  pageRequest,
  type ReadDeployRequest,
} from "./requests.ts";
