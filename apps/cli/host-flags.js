/**
 * What Node is started with for a host. Left alone, V8 lets what is new in memory grow to 128 MiB
 * wherever there is much garbage, however little is held (docs/decisions/0039).
 */
export const hostFlags = ["--max-semi-space-size=16"];

/**
 * This process begins anew with them: its number, its files and whoever waits for it stay. It goes
 * on as it is where somebody else chose a size, where a channel of its parent would be lost, and
 * where a system cannot do it.
 */
export function beginWithHostFlags() {
  const chosen = [process.env.NODE_OPTIONS ?? "", ...process.execArgv].join(" ");
  if (chosen.includes("--max-semi-space-size") || process.channel) return;
  if (process.platform === "win32" || process.execve === undefined) return;
  const words = [process.execPath, ...hostFlags, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, words, process.env);
}
