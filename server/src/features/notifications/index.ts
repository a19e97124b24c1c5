export { notifyPlatformAdmins, notifyTeam, type Notice } from './notify.ts';
