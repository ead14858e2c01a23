/** From the least to the most: each may do what those before it may. */
export const roles = ["viewer", "operator", "admin"] as const;
export type Role = (typeof roles)[number];

export function isAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}
