import { inject } from "vitest";
import { knock } from "./shared-server.ts";

let url: Promise<string> | null = null;

/** The server that all test files of this run share; each test makes databases of its own on it. */
export function sharedServerUrl(): Promise<string> {
  url ??= knock(inject("postgresDoor"));
  return url;
}
