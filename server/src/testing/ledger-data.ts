import { openLoginData, openLogoutMetadata, type SealedRow } from '../features/sign-in/sessions/index.ts';
import type { TestApp } from './test-app.ts';
import { vault } from './test-vault.ts';

/** The address and the metadata in the ledger row of a login, opened with the key of the session. */
export async function loginDataOf(app: Pick<TestApp, 'owner'>, sessionId: string) {
  return openLoginData(vault, await sealedRow(app, 'login_ledger', sessionId));
}

/** The metadata in the ledger row of a logout. */
export async function logoutMetadataOf(app: Pick<TestApp, 'owner'>, sessionId: string) {
  return openLogoutMetadata(vault, await sealedRow(app, 'logout_ledger', sessionId));
}

async function sealedRow(
  { owner }: Pick<TestApp, 'owner'>,
  table: string,
  sessionId: string,
): Promise<SealedRow> {
  const { rows } = await owner.query<SealedRow>(
    `SELECT ledger.tenant_id AS "tenantId", ledger.id, ledger.personal_data AS "personalData", session.key_salt AS "keySalt"
     FROM ${table} ledger JOIN login_sessions session USING (tenant_id, session_id) WHERE session_id = $1`,
    [sessionId],
  );
  if (!rows[0]) throw new Error(`${table} has no row of the session ${sessionId}.`);
  return rows[0];
}
