import { type ExportMark, HostError } from "@holdfast/core";

/** What every store says alike of moves: nothing was written. `place` = where the store is. */

export function exportedStore(place: string, { at, by, file }: ExportMark): HostError {
  return new HostError("STORE_EXPORTED", {
    what: `${place} was exported to ${file} by ${by} at ${new Date(at).toISOString()}.`,
    remedy:
      "Start the host where that file was imported. Only if it was imported nowhere, or what was " +
      "sent from there is known: follow docs/errors/STORE_EXPORTED.md, which ends with " +
      "`holdfast accept-restored --ledger-compared --exported`.",
    retry: "safe",
    details: { place, file },
  });
}

export function unfinishedStore(place: string): HostError {
  return new HostError("STORE_UNFINISHED", {
    what: `${place} holds a part of an export.`,
    remedy:
      "Nothing in it was ever worked on. Take it away as docs/errors/STORE_UNFINISHED.md says, " +
      "then import the file again.",
    retry: "safe",
    details: { place },
  });
}

export function occupiedStore(place: string, why: string): HostError {
  return new HostError("IMPORT_REFUSED", {
    what: `${place} ${why}.`,
    remedy: "Name a place without a store, or an empty one; nothing was written.",
    retry: "safe",
    details: { place },
  });
}

export function busyStore(place: string, hostCount: number): HostError {
  return new HostError("EXPORT_REFUSED", {
    what: `${hostCount} host(s) work on ${place}, or died there a moment ago.`,
    remedy:
      "Stop them, wait until the lease of those that died is over (HOLDFAST_LEASE_MS), then try " +
      "again; nothing was written.",
    retry: "safe",
    details: { place, hostCount },
  });
}
