/** Titles come from scripts and services: nothing in them may steer a terminal or break a line. */
export function plainText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ");
}
