import { hash } from 'node:crypto';
import { canonicalJson } from '../../../core/canonical-json.ts';
import { hashedInstant } from '../../../core/row-hash.ts';

/** The columns of a login ledger row that its hash covers. */
export interface HashedLogin extends LoginDetails {
  playerId: string;
  authMethodId: string | null;
  deviceId: string | null;
}

/** The hashed columns without the three that PostgreSQL looks up. */
interface LoginDetails {
  tenantId: string;
  id: string;
  sessionId: string;
  authProvider: string;
  platform: string;
  clientVersion: string | null;
  clientBuild: string | null;
  occurredAt: string;
  createdAtGl: string;
  personalData: Buffer;
}

/** The integrity hash of a login ledger row (docs/row-hashes.md). */
export function loginRowHash(row: HashedLogin): Buffer {
  const [start, middle, end] = loginRowHashParts(row);
  const { playerId, authMethodId, deviceId } = row;
  const text = `${start}${canonicalJson(playerId)},${canonicalJson(authMethodId)}${middle}${canonicalJson(deviceId)}${end}`;
  return hash('sha256', text, 'buffer');
}

/**
 * The hashed text of a login ledger row in three parts. The player and the sign-in method belong between the first and the second
 * part, and the device between the second and the third. So one statement can find them, hash the row and write it.
 */
export function loginRowHashParts(row: LoginDetails): [start: string, middle: string, end: string] {
  const last = [
    row.platform,
    row.clientVersion,
    row.clientBuild,
    hashedInstant(row.occurredAt),
    hashedInstant(row.createdAtGl),
    row.personalData.toString('hex'),
  ];
  return [
    `["login_ledger",${canonicalJson(row.tenantId)},${canonicalJson(row.id)},${canonicalJson(row.sessionId)},`,
    `,${canonicalJson(row.authProvider)},`,
    `,${canonicalJson(last).slice(1)}`,
  ];
}
