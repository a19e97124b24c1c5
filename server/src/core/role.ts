/** The roles of members in a workspace and its tenants. Each role includes the permissions of the roles before it. */
export const roles = ['viewer', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

/** A tenant or a workspace. The role in a tenant is that in its workspace. */
export type Place = { tenantId: string } | { workspaceId: string };

/** Whether a role includes the permissions of the needed one. */
export function includesRole(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}
