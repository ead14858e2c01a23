import "./require-node.js";

await import("./first-run/main.ts");
