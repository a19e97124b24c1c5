import { randomUUID } from 'node:crypto';
import { newOpaqueToken } from '../security/opaque-tokens.ts';
import { createVault } from '../security/vault.ts';
import { arrangeAccount, arrangePlatformAdmin, type TestTenant } from './arrange.ts';
import { TEST_MASTER_KEY, type TestApp } from './test-app.ts';

/** Inserts an invitation to a tenant's workspace directly into the database, without limits. */
export async function arrangeInvitation(
  app: TestApp,
  tenant: TestTenant,
  { email, role = 'viewer' }: { email: string; role?: string },
) {
  const [id, token] = [randomUUID(), newOpaqueToken('invite')];
  const inviter = await arrangeAccount(app, tenant, 'owner');
  const fingerprint = createVault(Buffer.from(TEST_MASTER_KEY, 'hex')).fingerprint(token);
  await app.owner.query(
    `INSERT INTO invitations (id, workspace_id, email, role, token_hash, invited_by, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, now() + interval '7 days')`,
    [id, tenant.workspaceId, email, role, fingerprint, inviter.accountId],
  );
  return { id, token };
}

/** Creates a reader of sent mails, as a platform admin. */
export async function createMailbox(app: TestApp) {
  const admin = await arrangePlatformAdmin(app);
  const mailsTo = async (email: string): Promise<{ subject: string; text: string }[]> => {
    const { body } = await app.http.get('/api/admin/outbox?limit=200', admin);
    return body.items.filter((mail: { to: string }) => mail.to === email);
  };
  return {
    mailsTo,
    /** Returns the token in the newest mail of an address. */
    async tokenTo(email: string): Promise<string> {
      const [mail] = await mailsTo(email);
      return /^ {4}(\S+)$/m.exec(mail?.text ?? '')?.[1] ?? '';
    },
  };
}
