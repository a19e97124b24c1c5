import { randomBytes } from 'node:crypto';
import { arrangePlatformAdmin } from './arrange.ts';
import type { TestApp } from './test-app.ts';

/** An address that no other test has. */
export function someEmail(): string {
  return `${randomBytes(6).toString('hex')}@example.com`;
}

/** Creates a reader of sent mails, as a platform admin. */
export async function createMailbox(app: TestApp) {
  const admin = await arrangePlatformAdmin(app);

  /** Returns the mails of an address, newest first. */
  const mailsTo = async (email: string): Promise<{ subject: string; text: string }[]> => {
    const { body } = await app.http.get('/api/admin/outbox?limit=200', admin);
    return body.items.filter((mail: { to: string }) => mail.to === email);
  };
  return {
    mailsTo,
    /** Returns the code or the token in the newest mail of an address. */
    async secretTo(email: string): Promise<string> {
      const [mail] = await mailsTo(email);
      return /^ {4}(\S+)$/m.exec(mail?.text ?? '')?.[1] ?? '';
    },
  };
}
