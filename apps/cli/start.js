import module from "node:module";
import "./require-node.js";

// Reading the sources anew each time would take longer than most commands.
module.enableCompileCache();
const { openProgram } = await import("./open-program.ts");
await openProgram("first-run", "./first-run/main.ts");
