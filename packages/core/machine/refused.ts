/**
 * Why something from outside changes nothing. `note` is for people and may be put better in a later
 * version, so that it never enters a record.
 */
export type Refused = {
  readonly ok: false;
  readonly code: RefusedCode;
  readonly note: string;
};

export type RefusedCode =
  | "event.topic_unknown"
  | "event.machine_unknown"
  | "event.invalid"
  | "event.too_large"
  | "event.reserved_arm"
  | "event.key_missing"
  | "event.key_unexpected"
  | "event.key_invalid"
  | "event.key_mismatch"
  | "mailbox.full"
  | "receipt.unknown"
  | "payload.too_large"
  | "intent.unknown"
  | "intent.settled"
  | "instance.unknown"
  | "instance.not_failed"
  | "manifest.ready_cells"
  | "manifest.machine_gone"
  | "manifest.work_under_way"
  | "manifest.cells_unfit";

export function refused(code: RefusedCode, note: string): Refused {
  return { ok: false, code, note };
}
