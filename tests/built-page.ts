import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Vitest calls this once per run: every host of every test then finds the page built. */
export default function setUp(): void {
  const builder = fileURLToPath(new URL("../apps/server/page/main.ts", import.meta.url));
  execFileSync(process.execPath, [builder], { stdio: "inherit" });
}
