/**
 * Why guest code was ended by the host or by itself. All of them are of the class `logic`: the
 * script has to change. Each code has a page in docs/errors.
 */
export const failureCodes = {
  SCRIPT_THREW: "The script threw an error that it did not catch.",
  SCRIPT_FORBIDDEN: "The script did what its phase may not do.",
  SCRIPT_ABSENT: "The script used a connection or operation that does not exist.",
  SCRIPT_VALUE: "The script gave out a value that is not plain data.",
  SCRIPT_VALUE_SIZE: "The script gave out more than a value may hold.",
  SCRIPT_STATE_SIZE: "The script returned more state than may be kept.",
  SCRIPT_HEAP: "The script needs more memory than it may have.",
  SCRIPT_STACK: "The script calls itself too deeply.",
  SCRIPT_FUEL: "The script computes longer than it may.",
  SCRIPT_RUNNING_TIME: "The script runs longer than it may.",
  SCRIPT_WAITING_TIME: "The script waited longer than it may.",
  SCRIPT_CALLS: "The script made more calls than it may.",
  SCRIPT_LOGS: "The script wrote more log lines than it may.",
  SCRIPT_EVENTS: "The script published more events than it may.",
  SCRIPT_INPUT_SOURCE: "The script named a source of inputs that its workflow does not have.",
  SCRIPT_PUBLISH: "The script published something that is not an event.",
  SCRIPT_TOPIC: "The script used a topic that is not declared for this handler.",
  SCRIPT_NEVER_SETTLES: "The script waits for something that will never happen.",
  SCRIPT_CALL_LEFT_OPEN: "The script ended without waiting for a call it had made.",
  SCRIPT_TOP_LEVEL: "The script asked for the time or for chance outside a handler.",
  SCRIPT_CODE_FROM_TEXT: "The script made code from text.",
  SCRIPT_LOAD: "The script cannot be loaded.",
  SCRIPT_NO_HANDLER: "The script has no such handler.",
  SCRIPT_ENGINE: "The script broke the engine it ran in.",
} as const;

export type FailureCode = keyof typeof failureCodes;

export type Failure = {
  readonly code: FailureCode;
  /** One sentence for the author. */
  readonly message: string;
  /** In the code that was loaded, counted from 1; null = not known. */
  readonly position: { readonly line: number; readonly column: number } | null;
};
