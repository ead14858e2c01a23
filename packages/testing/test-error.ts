/** What can be wrong with a test of a workflow, or found by one. */
export type TestErrorCode =
  /** The script has problems and cannot be deployed. */
  | "script_problems"
  /** The script uses operations that the test does not script. */
  | "operations_not_scripted"
  /** The test gave something that makes no sense. */
  | "test_invalid"
  /** The workflow refused a command; the refusal's own name is in the text. */
  | "command_refused"
  /** The workflow works and works and does not come to rest. */
  | "never_rests"
  /** The engine gave up on the workflow. */
  | "workflow_broken"
  /** The tables and the journal do not agree, or a change happened twice. */
  | "not_sound"
  /** A phase that was run again did something else. */
  | "replay_differs"
  /** After a crash the story ended in another way than without it. */
  | "crash_differs"
  /** The host never came to the point where it was to die. */
  | "crash_not_reached";

export class TestError extends Error {
  override readonly name = "TestError";
  readonly code: TestErrorCode;

  constructor(code: TestErrorCode, message: string, options?: ErrorOptions) {
    super(`${code}: ${message}`, options);
    this.code = code;
  }
}
