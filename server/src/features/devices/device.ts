import { platformDisplayName } from '../player-login/index.ts';
import type { DeviceRow } from './queries.ts';

/** A device as its player sees it. */
export interface Device extends DeviceRow {
  platformDisplayName: string;
}

export function asDevice(row: DeviceRow): Device {
  return { ...row, platformDisplayName: platformDisplayName(row.platform) };
}
