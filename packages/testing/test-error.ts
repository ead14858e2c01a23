/** What can be wrong with a test of a workflow, or be found by one. Each is in docs/testing.md. */
export const testErrorCodes = [
  "script_problems",
  "operations_not_scripted",
  "test_invalid",
  "command_refused",
  "never_rests",
  "workflow_broken",
  "not_sound",
  "replay_differs",
  "step_differs",
  "order_matters",
  "crash_differs",
  "crash_not_reached",
] as const;

export type TestErrorCode = (typeof testErrorCodes)[number];

export class TestError extends Error {
  override readonly name = "TestError";
  readonly code: TestErrorCode;

  constructor(code: TestErrorCode, message: string, options?: ErrorOptions) {
    super(`${code}: ${message}`, options);
    this.code = code;
  }
}
