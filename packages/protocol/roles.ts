/**
 * From the least to the most: each may do what those before it may. What an executor may do is for
 * nobody else: it takes calls, and whoever takes one and does not make it leaves a question behind.
 */
export const roles = ["executor", "viewer", "operator", "admin"] as const;
export type Role = (typeof roles)[number];

export function isAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}
