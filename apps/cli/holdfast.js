#!/usr/bin/env node
import "./require-node.js";

await import("./main.ts");
