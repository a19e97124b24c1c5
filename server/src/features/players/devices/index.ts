export { listDevices, MAX_DEVICES } from './devices.ts';
export { deviceRoutes } from './routes.ts';
