import { InvalidArgumentError } from "commander";

/** Of an option, as it was typed. */
export function wholeNumber(text: string): string {
  if (/^\d{1,15}$/.test(text)) return text;
  throw new InvalidArgumentError("A whole number is expected, 0 or more.");
}
