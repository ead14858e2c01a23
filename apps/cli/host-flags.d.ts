export const hostFlags: readonly string[];
export function beginWithHostFlags(): void;
