export { listDevices, MAX_DEVICES } from './list-devices.ts';
export { deviceRoutes } from './routes.ts';
