import { randomUUID } from 'node:crypto';
import { newOpaqueToken } from '../security/opaque-tokens.ts';
import { arrangeAccount, type TestTenant } from './arrange.ts';
import type { TestApp } from './test-app.ts';
import { vault } from './test-vault.ts';

/** Inserts an invitation to a tenant's workspace directly into the database, without limits. */
export async function arrangeInvitation(
  app: TestApp,
  tenant: TestTenant,
  { email, role = 'viewer' }: { email: string; role?: string },
) {
  const [id, token] = [randomUUID(), newOpaqueToken('invite')];
  const inviter = await arrangeAccount(app, tenant, 'owner');
  const fingerprint = vault.fingerprint(token);
  await app.owner.query(
    `INSERT INTO invitations (id, workspace_id, email, role, token_hash, invited_by, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, now() + interval '7 days')`,
    [id, tenant.workspaceId, email, role, fingerprint, inviter.accountId],
  );
  return { id, token };
}
