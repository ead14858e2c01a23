export { takeCheckpoint } from "./take-checkpoint.ts";
export { type VerifyOptions, verify, verifyWorkflow } from "./verify/verify.ts";
export type { Problem, VerifyReport } from "./verify/verify-report.ts";
export { type Executed, WorkflowOwner } from "./workflow-owner.ts";
