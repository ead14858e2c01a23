// Loaded into the host before anything else: whoever started it is gone, so nobody would stop it.
process.once("disconnect", () => {
  // Nobody reads any more what it says.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  process.kill(process.pid, "SIGTERM");
});
// Listening alone does not keep it alive.
process.channel?.unref();
