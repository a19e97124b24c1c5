export { listDevices, MAX_DEVICES } from './devices.ts';
export { eraseDevices } from './queries.ts';
export { deviceRoutes } from './routes.ts';
export { Device } from './schemas.ts';
