export { authMethodRoutes } from './auth-methods/routes.ts';
export { openAvatarStore, type AvatarStorage, type AvatarStore } from './avatars/avatar-store.ts';
export { avatarRoutes, avatarUploadRoutes } from './avatars/routes.ts';
export { playerDeletionRoutes } from './deletion-routes.ts';
export { createProfileCheck } from './lock-profile.ts';
export { TenantAccess } from './schemas.ts';
export { profileRoutes } from './profile-routes.ts';
export { readProfile, type FullProfile } from './read-profile.ts';
export { FullPlayerProfile } from './schemas.ts';
