import { randomBytes } from 'node:crypto';
import type { TestTenant } from './arrange.ts';
import { eventually } from './eventually.ts';
import type { Answer } from './http-client.ts';
import { createMailbox } from './mailbox.ts';
import type { TestApp } from './test-app.ts';

/**
 * Creates a client for tests of sign-in by email. Each call comes from another network, so the app must trust its
 * proxy.
 */
export async function emailClient(app: TestApp) {
  const { mailsTo, secretTo } = await createMailbox(app);

  const post = (
    path: string,
    body: unknown,
    { gameKey }: Pick<TestTenant, 'gameKey'>,
    network = someNetwork(),
  ) => app.http.post(`/api/player-auth/${path}`, body, { gameKey, headers: { 'x-forwarded-for': network } });

  return {
    post,
    mailsTo,
    secretTo,
    /** Requests a code, and returns it. */
    async codeFor(email: string, tenant: TestTenant): Promise<string> {
      await app.owner.query(
        `UPDATE one_time_codes SET sent_at = sent_at - interval '1 minute' WHERE email = $1`,
        [email],
      );
      const sent = await post('email/otc', { email }, tenant);
      if (sent.status !== 200) throw new Error(`No code was sent: ${sent.text}`);
      return secretTo(email);
    },
    exchange: (email: string, code: string, tenant: TestTenant, more: object = {}): Promise<Answer> =>
      post('otc/exchange', { email, code, ...more }, tenant),
    signUp: (email: string, tenant: TestTenant, more: object = {}): Promise<Answer> =>
      post('email/signup', { email, password: PASSWORD, ...more }, tenant),
    logIn: (
      email: string,
      tenant: TestTenant,
      password = PASSWORD,
      network = someNetwork(),
    ): Promise<Answer> => post('email/tenant-login', { email, password }, tenant, network),
    refresh: (refreshToken: string, tenant: TestTenant): Promise<Answer> =>
      post('refresh', { refreshToken }, tenant),
    /** Requests a password reset, waits for the mail, and returns its token. */
    async resetTokenFor(email: string, tenant: TestTenant): Promise<string> {
      const before = (await mailsTo(email)).length;
      await app.owner.query(`UPDATE pgboss.job SET singleton_on = NULL WHERE data->>'email' = $1`, [email]);
      await post('email/password-reset/request', { email }, tenant);
      await eventually(async () => (await mailsTo(email)).length > before);
      return secretTo(email);
    },
  };
}

export const PASSWORD = 'correct horse';

export function someNetwork(): string {
  return [10, ...randomBytes(3)].join('.');
}
