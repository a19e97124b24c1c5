export { createWorkspace } from './create-workspace.ts';
export { openMemberships } from './memberships.ts';
export { findRole, listMemberships, type Membership } from './queries.ts';
export { workspaceRoutes } from './routes.ts';
