/**
 * What a script imports as `@holdfast/sdk`; inside the isolate the same object is the global
 * `Keep`. It is bundled into every script, so it imports nothing and uses nothing of a host.
 */
export {
  type Connection,
  type Connections,
  connection,
  type JobConnection,
  type metered,
  type mutation,
  type OperationKind,
  type read,
} from "./connection.ts";
export {
  type Consumer,
  type ConsumerDefinition,
  consumer,
  type MutateContext,
  type MutationResult,
  type NextContext,
  type PrepareContext,
  type Prepared,
  type PrepareResult,
} from "./consumer.ts";
export {
  type Answered,
  continuation,
  type Receipt,
  type ReceiptStatus,
  type RejectedReceipt,
  type StreamFrame,
} from "./continuation.ts";
export { deadline } from "./deadline.ts";
export { type EmissionOptions, type Emissions, emissions } from "./emissions.ts";
export { type Fence, fence } from "./fence.ts";
export { type Item, type ItemContext, type JobContext, job, type WithItem } from "./job.ts";
export { type Join, join } from "./join.ts";
export type { Json, JsonObject, Plain } from "./json.ts";
export {
  type Data,
  type Effect,
  machine,
  type StepContext,
  type StepMoment,
  type StepResult,
} from "./machine.ts";
export { type Pending, pending } from "./pending.ts";
export { type InputDescription, type ProducerContext, producer } from "./producer.ts";
export { type Backoff, type NextAttempt, retry } from "./retry.ts";
export { type Saga, saga } from "./saga.ts";
export { type Infer, type InferInput, type Schema, schema } from "./schema.ts";
export type { EventRef, Payload, PayloadInput, Topic, TopicEvent, Topics } from "./topic.ts";
export type { Delivery, Schedule, Trigger, Webhook } from "./trigger.ts";
export { type Workflow, type WorkflowDefinition, workflow } from "./workflow.ts";
