/** The roles of members in a workspace and its tenants. Each role includes the permissions of the roles before it. */
export const roles = ['viewer', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

/** Whether a role includes the permissions of the needed one. */
export function includesRole(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}
