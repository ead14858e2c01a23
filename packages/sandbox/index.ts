export {
  type CompiledScript,
  compileScript,
} from "./compile/compile-script.ts";
export { originalPosition } from "./compile/original-position.ts";
export { readScript, ScriptUnreadable } from "./compile/read-script.ts";
export type { ScriptSource } from "./compile/script-source.ts";
export { declarationsOf } from "./declarations.ts";
export { type Opened, type Packed, Workshop } from "./deployable/workshop.ts";
export { type Failure, type FailureCode, failureCodes } from "./failure.ts";
export { type HostedParts, hostedScript } from "./hosted-script.ts";
export { type SandboxLimits, sandboxLimitDefaults } from "./limits.ts";
export type { Manifest } from "./manifest/manifest.ts";
export { parseInterval } from "./manifest/read-schedule.ts";
export type {
  Connections,
  GuestCall,
  JsonText,
  PhaseCall,
  PhaseRecord,
  PhaseResult,
  ScriptPublication,
  TerminalCall,
} from "./run/phase.ts";
export type { CallAnswer, PhaseOutcome, RunOptions } from "./run/phase-run.ts";
export { type LoadedScript, type LoadResult, Sandbox, type SandboxOptions } from "./sandbox.ts";
export { type ProblemCode, problemCodes } from "./validate/problem-codes.ts";
export {
  type Inspect,
  type Known,
  type Problem,
  type Validated,
  validate,
} from "./validate/validate.ts";
