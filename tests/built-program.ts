import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Vitest calls this once per run: every test starts the program as it is shipped. */
export default function setUp(): void {
  const builder = fileURLToPath(new URL("../apps/cli/build/main.ts", import.meta.url));
  execFileSync(process.execPath, [builder], { stdio: "inherit" });
}
