export { authMethodRoutes } from './auth-method-routes.ts';
export { avatarRoutes, avatarUploadRoutes } from './avatar-routes.ts';
export { openAvatarStore, type AvatarStorage, type AvatarStore } from './avatars/avatar-store.ts';
export { playerDeletionRoutes } from './deletion-routes.ts';
export { profileCheck } from './own-profile.ts';
export { profileRoutes } from './profile-routes.ts';
