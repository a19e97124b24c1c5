import { hashedInstant, rowHash } from '../../../core/row-hash.ts';

/** The columns of a login ledger row that its hash covers. */
export interface HashedLogin {
  tenantId: string;
  id: string;
  sessionId: string;
  playerId: string;
  authMethodId: string | null;
  authProvider: string;
  deviceId: string | null;
  platform: string;
  clientVersion: string | null;
  clientBuild: string | null;
  ipAddress: string | null;
  occurredAt: string;
  createdAtGl: string;
  metadata: Record<string, unknown>;
}

/** The integrity hash of a login ledger row. */
export function loginRowHash(row: HashedLogin): Buffer {
  return rowHash('login_ledger', [
    row.tenantId,
    row.id,
    row.sessionId,
    row.playerId,
    row.authMethodId,
    row.authProvider,
    row.deviceId,
    row.platform,
    row.clientVersion,
    row.clientBuild,
    row.ipAddress,
    hashedInstant(row.occurredAt),
    hashedInstant(row.createdAtGl),
    row.metadata,
  ]);
}
