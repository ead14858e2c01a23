/**
 * Nobody reads any further (`holdfast events | head`): a command has nothing left to do, and a host
 * goes on with its work.
 */
export function allowUnreadOutput({ goesOn }: { readonly goesOn: boolean }): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      if (!goesOn) process.exit();
    });
  }
}
