/** What a member may do in a workspace and in its tenants; each role may all that those before it may. */
export const roles = ['viewer', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];
