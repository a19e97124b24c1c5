export { listDevices } from './list-devices.ts';
export { deviceRoutes } from './routes.ts';
