export { createWorkspace } from './create-workspace.ts';
export { createMemberships, type Memberships } from './memberships.ts';
export {
  findRole,
  insertMembership,
  listMemberships,
  lockWorkspace,
  MAX_LISTED_MEMBERSHIPS,
  type Membership,
} from './queries.ts';
export { platformWorkspaceRoutes } from './platform-routes.ts';
export { planRoutes, workspaceRoutes } from './routes.ts';
export { MembershipSchema, WorkspaceRole } from './schemas.ts';
