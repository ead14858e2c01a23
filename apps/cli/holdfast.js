#!/usr/bin/env node
import module from "node:module";
import "./require-node.js";
import { beginWithHostFlags } from "./host-flags.js";

if (process.argv.includes("start")) beginWithHostFlags();

// Reading the sources anew each time would take longer than most commands. Said here, in a file
// that is run as it stands: the first one with types would load what takes the types away, and
// that alone costs more than all the rest of a short command.
module.enableCompileCache();
const { openProgram } = await import("./open-program.ts");
await openProgram("program", "./program.ts");
