import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { someNetwork } from '../../src/testing/email-player.ts';
import { someEmail } from '../../src/testing/mailbox.ts';
import { vault } from '../../src/testing/test-vault.ts';
import { accepted, type Request, type Scenario, type Stage } from './stage.ts';

const CODE = '123456';

/** Stores a one-time code of an address, as if its mail had been sent. */
async function arrangeCode({ tenant, query }: Stage, tries: number): Promise<string> {
  const email = someEmail();
  await query('INSERT INTO email_credentials (email, mails_since, mails_sent) VALUES ($1, now(), 1)', email);
  await query(
    `INSERT INTO one_time_codes (tenant_id, email, id, code_hash, tries, sent_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, now(), now() + interval '10 minutes')`,
    tenant.tenantId,
    email,
    randomUUID(),
    vault.fingerprint(`one-time code ${tenant.tenantId} ${email} ${CODE}`),
    tries,
  );
  return email;
}

const exchange =
  ({ tenant }: Stage, email: string, code = CODE): Request =>
  (http) =>
    http.post('/api/player-auth/otc/exchange', { email, code }, { gameKey: tenant.gameKey });

/** Values that can be used once: codes and nonces. */
export const singleUseScenarios: Scenario[] = [
  {
    name: 'a one-time code signs in once',
    async arrange(stage) {
      const email = await arrangeCode(stage, 0);
      return {
        requests: [exchange(stage, email), exchange(stage, email), exchange(stage, email)],
        async check(answers) {
          assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401, 401]);
        },
      };
    },
    guard: {
      statement: [
        [
          'DELETE FROM one_time_codes WHERE tenant_id = $1 AND email',
          'SELECT FROM one_time_codes WHERE tenant_id = $1 AND email',
        ],
      ],
    },
  },
  {
    name: 'parallel guesses of a code share its tries',
    async arrange(stage) {
      const email = await arrangeCode(stage, 3);
      const guesses = ['000000', '000001', '000002', '000003'];
      return {
        requests: guesses.map((code) => exchange(stage, email, code)),
        async check() {
          const [row] = await stage.query<{ tries: number }>(
            'SELECT tries FROM one_time_codes WHERE email = $1',
            email,
          );
          assert.equal(row?.tries, 5, `${row?.tries} guesses of a code were compared`);
        },
      };
    },
    guard: { statement: [['AND tries < $3 AND', 'AND $3 > 0 AND']] },
  },
  {
    name: 'a nonce signs in once',
    async arrange(stage) {
      const { tenant } = stage;
      const wallet = privateKeyToAccount(generatePrivateKey());
      const caller = { gameKey: tenant.gameKey, headers: { 'x-forwarded-for': someNetwork() } };
      const { body } = await stage.app.inject.post(
        '/api/player-auth/wallet/challenge',
        { address: wallet.address },
        caller,
      );
      const { message } = body as { message: string };
      const answer = { message, signature: await wallet.signMessage({ message }) };
      const verify: Request = (http) => http.post('/api/player-auth/wallet/verify', answer, caller);
      return {
        requests: [verify, verify, verify],
        async check(answers) {
          assert.equal(
            accepted(answers).length,
            1,
            `${accepted(answers).length} requests have used the nonce`,
          );
        },
      };
    },
    guard: {
      statement: [
        [
          'DELETE FROM wallet_challenges WHERE tenant_id = $1 AND nonce = $2\n    RETURNING tenant_id AS "tenantId", id, nonce, address, chain_id AS "chainId", message, expires_at AS "expiresAt",\n              expires_at <= clock_timestamp() AS "isExpired"',
          'SELECT tenant_id AS "tenantId", id, nonce, address, chain_id AS "chainId", message, expires_at AS "expiresAt",\n              false AS "isExpired" FROM wallet_challenges WHERE tenant_id = $1 AND nonce = $2',
        ],
      ],
    },
  },
];
