import type { BaseServices, CloseLater } from '../base-services.ts';
import { openAlerts } from './alerts/index.ts';
import { createRateLimits, type KeylessLimits } from './rate-limits/index.ts';
import { openUsageMeter } from './usage/index.ts';

export function openTrafficServices(
  services: BaseServices,
  config: { alertSuppressionSeconds: number; keylessLimits: KeylessLimits },
  closeLater: CloseLater,
) {
  const { alertSuppressionSeconds: suppressionSeconds, keylessLimits: keyless } = config;
  return {
    meter: closeLater(openUsageMeter(services)),
    alerts: closeLater(openAlerts({ ...services, suppressionSeconds })),
    rateLimits: createRateLimits({ ...services, keyless }),
  };
}
