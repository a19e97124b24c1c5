import { platformDisplayName } from '../../sign-in/login/index.ts';
import type { DeviceRow } from './queries.ts';

/** How many devices a player has at most; migration 0025 deletes those beyond it. */
export const MAX_DEVICES = 50;

/** A device as its player sees it. */
export interface Device extends DeviceRow {
  platformDisplayName: string;
}

export function asDevice(row: DeviceRow): Device {
  return { ...row, platformDisplayName: platformDisplayName(row.platform) };
}
