import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { Answer } from './http-client.ts';
import { createMailbox, someEmail } from './mailbox.ts';
import type { TestApp } from './test-app.ts';

export const ACCOUNT_PASSWORD = 'correct horse';
const STEP_SECONDS = 30;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A console account after sign-up. */
interface SignedUpAccount {
  email: string;
  bearer: string;
  refreshToken: string;
  id: string;
}

/**
 * Returns the code of an authenticator app (RFC 6238) for the time step that is `offset` steps after the current one.
 * It shares no code with the server, so a mistake cannot hide in both.
 */
export function authenticatorCode(secret: string, offset = 0): string {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 1000 / STEP_SECONDS) + offset));
  const mac = createHmac('sha1', key).update(step).digest();
  const start = mac[19]! % 16;
  return String((mac.readUInt32BE(start) % 2 ** 31) % 10 ** 6).padStart(6, '0');
}

/** Creates a client for tests of console accounts. `network` returns the address that a proxy names for the next request. */
export async function accountClient(app: TestApp, network?: () => string) {
  const mailbox = await createMailbox(app);
  const post = (path: string, body: unknown, bearer?: string, headers: Record<string, string> = {}) =>
    app.http.post(`/api/saas-auth/${path}`, body, {
      ...(bearer && { bearer }),
      headers: { ...(network && { 'x-forwarded-for': network() }), ...headers },
    });

  const logIn = (email: string, password = ACCOUNT_PASSWORD): Promise<Answer> =>
    post('login', { email, password });
  const signUp = async (email = someEmail()): Promise<SignedUpAccount> => {
    const { status, body, text } = await post('signup', { email, password: ACCOUNT_PASSWORD });
    assert.equal(status, 201, text);
    return { email, bearer: body.accessToken, refreshToken: body.refreshToken, id: body.user.id };
  };
  const signUpVerified = async (): Promise<SignedUpAccount> => {
    const account = await signUp();
    const verified = await post('email/verify', { token: await mailbox.secretTo(account.email) });
    assert.equal(verified.status, 200, verified.text);
    return account;
  };

  return {
    ...mailbox,
    post,
    logIn,
    signUp,
    signUpVerified,
    refresh: (refreshToken: string): Promise<Answer> => post('refresh', { refreshToken }),
    /** Creates an account with a second factor. The code of the current time step is used, the next one is not. */
    async signUpWithTotp() {
      const account = await signUpVerified();
      const enrolled = await post('totp/enroll', undefined, account.bearer);
      assert.equal(enrolled.status, 200, enrolled.text);
      const secret = enrolled.body.secret as string;
      const confirmed = await post('totp/confirm', { code: authenticatorCode(secret) }, account.bearer);
      assert.equal(confirmed.status, 200, confirmed.text);
      return { ...account, secret, recoveryCodes: confirmed.body.recoveryCodes as string[] };
    },
    /** Makes used codes valid again. */
    async allowCodesAgain({ id }: { id: string }): Promise<void> {
      await app.owner.query('UPDATE account_totp SET last_step = 0 WHERE account_id = $1', [id]);
    },
    async mfaToken(email: string, password = ACCOUNT_PASSWORD): Promise<string> {
      const { status, body, text } = await logIn(email, password);
      assert.equal(status, 200, text);
      assert.deepEqual(Object.keys(body), ['mfaToken', 'expiresIn']);
      return body.mfaToken;
    },
    /** Returns the audit actions of an account, oldest first. */
    async actionsOf({ id }: { id: string }): Promise<string[]> {
      const { rows } = await app.owner.query(
        `SELECT action FROM audit_records WHERE actor_id = $1 OR target_id = $1::text ORDER BY id`,
        [id],
      );
      return rows.map(({ action }) => action);
    },
  };
}
