export { deleteOldInvitations } from './invitation-queries.ts';
export { invitationRoutes, ownInvitationRoutes } from './invitation-routes.ts';
export { memberRoutes } from './member-routes.ts';
