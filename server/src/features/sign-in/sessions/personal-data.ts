import type { Vault } from '../../../security/vault.ts';

/** The personal data that a login stores besides ids: the address of the client, and what the client said about itself. */
interface LoginData {
  ipAddress: string | null;
  metadata: Record<string, unknown>;
}

/** The data of a ledger row as it is stored. The salt belongs to the session. It is null after the data was erased. */
export interface SealedRow {
  tenantId: string;
  id: string;
  keySalt: Buffer | null;
  personalData: Buffer | null;
}

type Row = Pick<SealedRow, 'tenantId' | 'id'>;

/** Seals the data of a login with the key of its session (docs/decisions/0055-erasable-ledgers.md). */
export function sealLoginData(vault: Vault, keySalt: Buffer, row: Row, data: LoginData): Buffer {
  const text = JSON.stringify([data.ipAddress, data.metadata]);
  return vault.withSalt(keySalt).seal(text, purposeOf('login_ledger', row));
}

/** Opens the data of a login. Both members are null if it was erased. */
export function openLoginData(vault: Vault, row: SealedRow): LoginData | { ipAddress: null; metadata: null } {
  const opened = openRow(vault, 'login_ledger', row) as
    | [LoginData['ipAddress'], LoginData['metadata']]
    | null;
  return opened ? { ipAddress: opened[0], metadata: opened[1] } : { ipAddress: null, metadata: null };
}

/** Seals the metadata of a logout like the data of a login. Null if there is none, or if the session has no key any more. */
export function sealLogoutMetadata(
  vault: Vault,
  keySalt: Buffer | null,
  row: Row,
  metadata: Record<string, unknown> | undefined,
): Buffer | null {
  if (!keySalt || !metadata) return null;
  return vault.withSalt(keySalt).seal(JSON.stringify(metadata), purposeOf('logout_ledger', row));
}

/** Opens the metadata of a logout. Null if it was erased. */
export function openLogoutMetadata(vault: Vault, row: SealedRow): Record<string, unknown> | null {
  if (!row.personalData) return {};
  return openRow(vault, 'logout_ledger', row) as Record<string, unknown> | null;
}

/** Null if the key is destroyed. Also null if the row was altered, so that the player can still read the rest. */
function openRow(vault: Vault, table: string, row: SealedRow): unknown {
  if (!row.keySalt || !row.personalData) return null;
  try {
    return JSON.parse(vault.withSalt(row.keySalt).open(row.personalData, purposeOf(table, row)));
  } catch {
    return null;
  }
}

/** Binds sealed data to its row. */
const purposeOf = (table: string, { tenantId, id }: Row): string => `${table} ${tenantId} ${id}`;
