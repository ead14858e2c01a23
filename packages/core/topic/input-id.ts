import { shortHash } from "./short-hash.ts";

export type InputKey = {
  readonly source: string;
  readonly type: string;
  readonly externalId: string;
};

/** The same outside thing is the same input, whoever sees it and however often. */
export function inputIdOf({ source, type, externalId }: InputKey): string {
  return `in_${shortHash([source, type, externalId])}`;
}
