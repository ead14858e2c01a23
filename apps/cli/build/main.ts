/** `npm run build`, and the end of `npm ci`. Without what it makes everything works, but slowly. */
import { findBuilt } from "../open-program.ts";
import { buildProgram } from "./build-program.ts";

try {
  if (findBuilt() === null) await buildProgram();
} catch (error) {
  console.error(`The program was not built, and runs from its sources: ${error}`);
}
