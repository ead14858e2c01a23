export { Engine, type EngineOptions } from "./engine/engine.ts";
export type {
  DescribedCall,
  EngineClock,
  EngineObserver,
  OutsideWorld,
  ReadOutcome,
  ScriptLibrary,
  SentCall,
} from "./engine/ports.ts";
export { type LoopEnd, type LoopParts, WorkflowLoop } from "./engine/workflow-loop.ts";
export { type FairShare, fairShare, slackOf } from "./membership/fair-share.ts";
export { Membership } from "./membership/membership.ts";
export type {
  LostReason,
  MembershipListener,
  MembershipOptions,
  MembershipStore,
  Trouble,
} from "./membership/membership-options.ts";
export { type MembershipPolicy, membershipPolicyDefaults } from "./membership/membership-policy.ts";
export type { Ownership } from "./membership/ownership.ts";
export { realClock, realTimers } from "./membership/real-time.ts";
export type { MonotonicClock, Timers } from "./membership/time.ts";
export { ConnectedWorld, operationKindsOf, type WorldParts } from "./outside/connected-world.ts";
export { takeCheckpoint } from "./take-checkpoint.ts";
export { type VerifyOptions, verify } from "./verify/verify.ts";
export type { Problem, VerifyReport } from "./verify/verify-report.ts";
export { verifyWorkflow } from "./verify/verify-workflow.ts";
export { type Executed, WorkflowOwner } from "./workflow-owner.ts";
