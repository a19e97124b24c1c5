/** What alerts are about: requests in a minute, and inbound bytes in a minute. */
export const alertTypes = ['rate_spike', 'payload_spike'] as const;
export type AlertType = (typeof alertTypes)[number];

/** A key that went above a threshold. */
export interface Spike {
  type: AlertType;
  keyId: string;
  keyKind: 'game' | 'api';
  tenantId: string;
  workspaceId: string;
  threshold: number;
  /** What the fullest window held when it was noticed. */
  observed: number;
  windowStart: string;
}
