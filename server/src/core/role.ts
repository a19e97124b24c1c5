/** The roles of members in a workspace and its tenants. Each role includes the permissions of the roles before it. */
export const roles = ['viewer', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];
