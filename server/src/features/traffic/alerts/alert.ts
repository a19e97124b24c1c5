/** Requests per minute and inbound bytes per minute. */
export const alertTypes = ['rate_spike', 'payload_spike'] as const;
export type AlertType = (typeof alertTypes)[number];

/** A key has exceeded a threshold. */
export interface Spike {
  type: AlertType;
  keyId: string;
  keyKind: 'game' | 'api';
  tenantId: string;
  workspaceId: string;
  threshold: number;
  /** The highest sum of a window since the last check. */
  observed: number;
  windowStart: string;
}
