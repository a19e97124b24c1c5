export { openAlerts } from './open-alerts.ts';
export { createWindowSumHandler } from './primary-window-sum.ts';
export { alertQueue } from './raise-alert.ts';
export { alertRoutes } from './routes.ts';
export { dispatchAlert } from './dispatch-alert.ts';
