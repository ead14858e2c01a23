#!/usr/bin/env node
import { enableCompileCache } from "node:module";

// Reading the sources anew each time would take longer than most commands.
enableCompileCache();
await import("./program.ts");
