/** Machines: the kernel and everything the shell needs to drive it. */
export { admit, createKernel } from "./admit.ts";
export { foreseeRefusal } from "./admit-control.ts";
export { frameIdentityOf } from "./admit-frame.ts";
export { type Answer, type Asking, isLoad } from "./ask.ts";
export { type CellStatus, cellIdOf, cellStatuses, statusOf } from "./cell.ts";
export { type ChainAnswer, type StepChain, stateLeft } from "./chain.ts";
export { type CompiledSet, compileSet } from "./compile-set.ts";
export type {
  MachineDeclaration,
  SetDeclaration,
  SetProblem,
  SetProblemCode,
  SubscriptionDeclaration,
  TopicDeclaration,
} from "./declaration.ts";
export { definitionsOf } from "./definitions.ts";
export type { EffectDeclaration, EffectKind, Executor, ReceiptStatus } from "./effect.ts";
export { type Frame, type Joined, joinFrame } from "./frame.ts";
export { guestValue } from "./guest-value.ts";
export { hashBytes, hashOfBytes } from "./hash-bytes.ts";
export { hex, unhex } from "./hex.ts";
export { timerEffect } from "./host-effects.ts";
export {
  frameSchemaName,
  receiptSchemaName,
  rejectedSchemaName,
} from "./host-schemas.ts";
export type { Admission, FrameIdentity, Input } from "./input.ts";
export {
  countInstances,
  type FoundInstance,
  findInstance,
  type InstanceView,
  instancesOf,
  viewInstances,
} from "./instances.ts";
export { type OpenIntent, systemIdempotencyKey } from "./intent.ts";
export {
  type JournalAnswer,
  type JournalAsk,
  JournalRunner,
  type KeptBlob,
} from "./journal-runner.ts";
export type { Kernel, KernelOptions, Note, Publication } from "./kernel.ts";
export { type KnownRoots, knownRoots, recallRoots } from "./known-roots.ts";
export { type MachineLimits, machineLimits } from "./limits.ts";
export {
  type CellsPage,
  type CellsQuery,
  cellsAfter,
  countMachines,
  type MachineCounts,
} from "./list-cells.ts";
export type { CompiledMachine, MachineSet } from "./machine-set.ts";
export {
  cellsToMigrate,
  judgeMigrated,
  type MigrationCall,
  migrationCall,
} from "./migration.ts";
export { isDefinitionName } from "./names.ts";
export {
  type Fitted,
  fitCells,
  machinesOver,
  type Obstacle,
  type ObstacleKind,
  workUnderWay,
} from "./obstacles.ts";
export { OlderCells } from "./older-cells.ts";
export { dueOf, openWork, type Quiescence, quiescenceOf, type Rest, restOf } from "./open-work.ts";
export { type Patch, type PatchOp, patchOf } from "./patch.ts";
export { placeCell, placeIntent } from "./place.ts";
export { PublicKeys, type SignatureScheme } from "./public-keys.ts";
export { blobName, type KeptName, putBlob, readEdge, readKeptName } from "./put-blobs.ts";
export type { RefitState } from "./refit-state.ts";
export type { Refused, RefusedCode } from "./refused.ts";
export {
  type Divergence,
  emptyKernel,
  noMachines,
  type Replayed,
  replay,
  StepEnded,
} from "./replay.ts";
export { addressEvent } from "./route-event.ts";
export { type Given, type Served, type ServeOptions, serve } from "./serve.ts";
export {
  type FrameStatement,
  frameLeaf,
  hostWord,
  type PathStep,
  type PublicKey,
  type ReceiptKeys,
  type ReceiptStatement,
  receiptLeaf,
  type Signature,
  type SignedTree,
  signedTree,
} from "./signature.ts";
export { describeSnapshot, openSnapshot, takeSnapshot } from "./snapshot.ts";
export type { Sample } from "./stamp.ts";
export { type Load, type Loaded, type Part, StateFault } from "./state/load.ts";
export { loadToFit } from "./state/load-cells.ts";
export { forgetPieces, keepPiece, unkeptCount } from "./state/next-snapshot.ts";
export { keepState, putAway } from "./state/resident-cells.ts";
export { type StepAnswer, type StepCall, type StepOutput, seedOf } from "./step.ts";
export { closeStepReturn, type StepReturn } from "./step-return.ts";
export { openStepCall, type StepArguments } from "./step-values.ts";
export { exactText, readTagged } from "./tagged-json.ts";
export { foreseeCall } from "./turn.ts";
export { TypedHashes } from "./typed-hashes.ts";
export { blobsSince, walkBlobs } from "./walk-blobs.ts";
export { checkParts, walkSnapshots } from "./walk-snapshots.ts";
