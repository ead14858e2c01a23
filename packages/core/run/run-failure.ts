export type RunFailure = {
  class: FailureClass;
  message: string;
  /** Handler and phase, or the operation that failed. */
  location: string;
  /** Whose sign-in or rights were refused; what is mended there lets the run go on. */
  account?: string;
};
export const failureClasses = [
  "transient",
  "logic",
  "auth",
  "permission",
  "precondition",
  "indeterminate",
  "internal",
  "budget",
] as const;
export type FailureClass = (typeof failureClasses)[number];
