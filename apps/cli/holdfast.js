#!/usr/bin/env node
import "./require-node.js";

// Reading the sources anew each time would take longer than most commands. Said here, in a file
// that is run as it stands: the first one with types would load what takes the types away, and
// that alone costs more than all the rest of a short command.
const { enableCompileCache } = await import("node:module");
enableCompileCache();
await import("./program.ts");
