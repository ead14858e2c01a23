import type { ErrorComponentProps } from "@tanstack/react-router";
import { Problem } from "../show/problem.tsx";

/** A mistake of one page leaves the frame, and the way to the others. */
export function PageBroke({ error }: ErrorComponentProps) {
  return <Problem error={error} retry={() => window.location.reload()} />;
}
