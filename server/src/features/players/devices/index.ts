export { MAX_DEVICES } from './device.ts';
export { listDevices } from './list-devices.ts';
export { deviceRoutes } from './routes.ts';
