import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { serializeCompactSignature, signatureToCompactSignature, parseSignature } from 'viem';
import { parseSiweMessage } from 'viem/siwe';
import { arrangeAccount, arrangeTenant } from '../../../testing/arrange.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { signChallenge, someWallet } from '../../../testing/wallets.ts';

const app = await startTestApp();
const providers = ['EvmWallet'];
const tenant = await arrangeTenant(app, { providers });
const neighbour = await arrangeTenant(app, { providers });
const bare = await arrangeTenant(app);

const challenge = (body: object, caller: object = tenant) =>
  app.http.post('/api/player-auth/wallet/challenge', body, caller);
const verify = (body: object, caller: object = tenant) =>
  app.http.post('/api/player-auth/wallet/verify', body, caller);

async function isOpen(nonce: string): Promise<boolean> {
  const { rowCount } = await app.owner.query('SELECT FROM wallet_challenges WHERE nonce = $1', [nonce]);
  return rowCount === 1;
}

describe('POST /api/player-auth/wallet/challenge and /wallet/verify', () => {
  test('signs a wallet in with the signed message', async () => {
    const wallet = someWallet();
    const asked = Date.now();
    const issued = await challenge({ address: wallet.address.toLowerCase() });
    assert.equal(issued.status, 200, issued.text);
    const { challengeId, message, nonce, expiresAt, ...rest } = issued.body;
    assert.deepEqual(rest, {});
    assert.match(challengeId, /^[0-9a-f-]{36}$/);
    const { issuedAt, statement, expirationTime, ...parsed } = parseSiweMessage(message);
    assert.deepEqual(parsed, {
      address: wallet.address,
      chainId: 1,
      domain: 'guildhall.test',
      nonce,
      uri: app.issuer,
      version: '1',
    });
    const { rows } = await app.owner.query('SELECT slug FROM tenants WHERE id = $1', [tenant.tenantId]);
    assert.ok(statement?.includes(rows[0].slug), 'the statement names the game');
    assert.equal(expirationTime?.toISOString(), expiresAt);
    assert.ok(Math.abs(Date.parse(expiresAt) - issuedAt!.getTime() - 300_000) < 1000);
    assert.ok(issuedAt!.getTime() >= asked);

    const signature = await wallet.signMessage({ message });
    const login = await verify({
      message,
      signature,
      deviceInfo: { deviceFingerprint: 'f'.repeat(16) },
      clientInfo: { platform: 'PC_Linux' },
      profileVisibility: 'private',
    });
    assert.equal(login.status, 200, login.text);
    const { playerId, isNewPlayer, tenantId } = login.body;
    assert.deepEqual([isNewPlayer, tenantId], [true, tenant.tenantId]);
    const { rows: written } = await app.owner.query(
      `SELECT method.auth_provider, method.issuer, method.provider_user_id, player.profile_visibility,
            ledger.auth_provider AS ledger, ledger.platform, device.device_fingerprint
     FROM players player JOIN auth_methods method ON method.player_id = player.id
     JOIN login_ledger ledger ON ledger.player_id = player.id
     JOIN devices device ON device.id = ledger.device_id WHERE player.id = $1`,
      [playerId],
    );
    assert.deepEqual(written, [
      {
        auth_provider: 'EvmWallet',
        issuer: '',
        provider_user_id: wallet.address,
        profile_visibility: 'private',
        ledger: 'evm_wallet',
        platform: 'PC_Linux',
        device_fingerprint: 'f'.repeat(16),
      },
    ]);
  });

  test('maps one wallet to one player in all tenants and on all chains', async () => {
    const wallet = someWallet();
    const logIn = async (caller: object, chainId?: number) => {
      const { message } = (await challenge({ address: wallet.address, chainId }, caller)).body;
      return verify({ message, signature: await wallet.signMessage({ message }) }, caller);
    };
    const logins = [await logIn(tenant), await logIn(tenant, 137), await logIn(neighbour, 8453)];
    assert.deepEqual(
      logins.map(({ body }) => [body.playerId, body.isNewPlayer]),
      [true, false, false].map((isNew) => [logins[0]!.body.playerId, isNew]),
    );
  });

  test('lets one of a hundred parallel answers to a challenge succeed', async () => {
    const { message, signature } = await signChallenge(app, tenant);
    const sessions = async () =>
      (await app.owner.query('SELECT count(*)::int AS count FROM login_sessions')).rows[0].count;
    const before = await sessions();
    const answers = await Promise.all(Array.from({ length: 100 }, () => verify({ message, signature })));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array(99).fill(401)]);
    assert.equal(await sessions(), before + 1);
  });

  test('creates one player for sixteen parallel first sign-ins', async () => {
    const wallet = someWallet();
    const signed = await Promise.all(Array.from({ length: 16 }, () => signChallenge(app, tenant, wallet)));
    const answers = await Promise.all(signed.map(({ message, signature }) => verify({ message, signature })));
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(16).fill(200),
    );
    assert.equal(new Set(answers.map(({ body }) => body.playerId)).size, 1);
  });

  test('returns the same 401 for every wrong answer', async () => {
    const used = await signChallenge(app, tenant);
    assert.equal((await verify(used)).status, 200);
    const expired = await signChallenge(app, tenant);
    await app.owner.query(`UPDATE wallet_challenges SET expires_at = now() WHERE nonce = $1`, [
      expired.nonce,
    ]);
    const ofAnother = await signChallenge(app, neighbour);
    const stolen = await signChallenge(app, tenant);
    const unknown = await signChallenge(app, tenant);
    const altered = await signChallenge(app, tenant);

    const answers = [
      await verify(used),
      await verify(expired),
      await verify(ofAnother),
      await verify({ ...stolen, signature: await someWallet().signMessage(stolen) }),
      await verify({ ...unknown, message: unknown.message.replace(unknown.nonce, 'a'.repeat(32)) }),
      await verify({ ...altered, message: altered.message.replace('costs nothing', 'costs little') }),
      await verify({ message: 'Nonce: none', signature: used.signature }),
    ];
    for (const { status, body } of answers) {
      assert.deepEqual([status, body.code], [401, 'invalid_credentials']);
      assert.deepEqual({ ...body, requestId: '' }, { ...answers[0]!.body, requestId: '' });
    }
    assert.equal((await verify(ofAnother, neighbour)).status, 200, 'another tenant cannot use it up');
    assert.equal((await verify(unknown)).status, 200, 'a message without the nonce cannot use it up');
    assert.equal((await verify(stolen)).status, 401, 'a wrong signature uses the challenge up');
    assert.equal((await verify(expired)).status, 401);
    assert.equal(await isOpen(expired.nonce), false);
  });

  test('accepts signatures in upper case, with v from 0, and with the 64 bytes of EIP-2098', async () => {
    const compact = (signature: string) =>
      serializeCompactSignature(signatureToCompactSignature(parseSignature(signature as `0x${string}`)));
    // Covers both values of the parity bit, which occur equally often.
    for (let count = 0; count < 8; count++) {
      for (const form of [
        (signature: string) => `0x${signature.slice(2).toUpperCase()}`,
        (signature: string) => signature.slice(0, -2) + (signature.endsWith('1b') ? '00' : '01'),
        compact,
      ]) {
        const { message, signature } = await signChallenge(app, tenant);
        assert.equal((await verify({ message, signature: form(signature) })).status, 200);
      }
    }
  });

  test('accepts an address in one letter case or with its checksum', async () => {
    const { address } = someWallet();
    const digits = address.slice(2);
    for (const text of [address, address.toLowerCase(), `0x${digits.toUpperCase()}`]) {
      const { status, body } = await challenge({ address: text });
      assert.equal(status, 200);
      assert.ok(body.message.includes(`\n${address}\n`));
    }
    const swapped = digits.replace(/[a-f]/i, (digit) =>
      digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase(),
    );
    for (const wrong of [
      `0x${swapped}`,
      `0x${'0'.repeat(40)}`,
      digits,
      `0X${digits}`,
      `${address}0`,
      address.slice(0, -1),
      'ada.eth',
      '',
      5,
      null,
      undefined,
    ]) {
      const { status, body } = await challenge({ address: wrong });
      assert.deepEqual(
        [status, body.code, body.errors[0].path],
        [400, 'invalid_request', 'address'],
        String(wrong),
      );
    }
  });

  test('uses Ethereum, the tenant’s first chain, or a requested chain of the tenant', async () => {
    const chosen = await arrangeTenant(app, { providers });
    const empty = await arrangeTenant(app, { providers });
    const set = (tenantId: string, chainIds: number[]) =>
      app.owner.query('UPDATE provider_settings SET settings = $2 WHERE tenant_id = $1', [
        tenantId,
        { chainIds },
      ]);
    await set(chosen.tenantId, [137, 8453]);
    await set(empty.tenantId, []);
    const { address } = someWallet();
    const chainOf = async (caller: object, chainId?: unknown) => {
      const { status, body } = await challenge({ address, chainId }, caller);
      return status === 200 ? parseSiweMessage(body.message).chainId : `${status} ${body.errors[0].path}`;
    };
    for (const any of [tenant, empty]) {
      assert.equal(await chainOf(any), 1);
      assert.equal(await chainOf(any, 10), 10);
      assert.equal(await chainOf(any, Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
    }
    assert.equal(await chainOf(chosen), 137);
    assert.equal(await chainOf(chosen, 8453), 8453);
    assert.equal(await chainOf(chosen, 1), '400 chainId');
    for (const wrong of [0, -1, 1.5, '1', 2 ** 53, {}, true])
      assert.equal(await chainOf(tenant, wrong), '400 chainId', String(wrong));
  });

  test('returns 422 when the tenant has not enabled wallets', async () => {
    const signed = await signChallenge(app, tenant);
    for (const answer of [
      await challenge({ address: signed.wallet.address }, bare),
      await verify(signed, bare),
    ])
      assert.deepEqual([answer.status, answer.body.code], [422, 'provider_not_available']);
  });

  test('returns 404 for a missing player with createAccountIfMissing=false', async () => {
    const wallet = someWallet();
    const missing = await verify({
      ...(await signChallenge(app, tenant, wallet)),
      createAccountIfMissing: false,
    });
    assert.deepEqual([missing.status, missing.body.code], [404, 'player_not_found']);
    assert.equal((await verify(await signChallenge(app, tenant, wallet))).body.isNewPlayer, true);
    const found = await verify({
      ...(await signChallenge(app, tenant, wallet)),
      createAccountIfMissing: false,
    });
    assert.equal(found.status, 200);
  });

  test('refuses a banned player and a blocked device', async () => {
    const wallet = someWallet();
    const deviceInfo = { deviceFingerprint: 'd'.repeat(16) };
    const logIn = async () => verify({ ...(await signChallenge(app, tenant, wallet)), deviceInfo });
    const { playerId } = (await logIn()).body;
    await app.owner.query('UPDATE devices SET is_blocked = true WHERE player_id = $1', [playerId]);
    assert.deepEqual((await logIn()).body.code, 'device_blocked');
    const admin = await arrangeAccount(app, tenant, 'admin');
    const path = `/api/bus_tenants/${tenant.tenantId}/players/${playerId}/ban`;
    assert.equal((await app.http.post(path, { reason: 'Cheating' }, admin)).status, 201);
    const banned = await logIn();
    assert.deepEqual([banned.status, banned.body.code], [403, 'player_banned']);
    assert.deepEqual(banned.body.ban, { reason: 'Cheating', until: null });
  });

  test('returns 400 for an invalid body, and keeps the challenge valid', async () => {
    const { nonce, message, signature } = await signChallenge(app, tenant);
    for (const body of [
      {},
      { message },
      { signature },
      { message, signature: 5 },
      { message: 5, signature },
      { message: '', signature },
      { message, signature: '' },
      { message: message.padEnd(4097), signature },
      { message, signature: signature.padEnd(16_385, '0') },
      { message, signature, createAccountIfMissing: 'yes' },
      { message, signature, deviceInfo: {} },
      { message, signature, clientInfo: { platform: 'Toaster' } },
      [],
    ])
      assert.equal((await verify(body)).status, 400, JSON.stringify(body));
    assert.equal((await verify({ message: message.padEnd(4096), signature })).status, 401, 'at the limit');
    assert.equal(await isOpen(nonce), false);
  });

  test('checks the game key before the body', async () => {
    for (const path of ['challenge', 'verify']) {
      for (const caller of [
        {},
        { gameKey: tenant.apiKey },
        { apiKey: tenant.apiKey },
        { gameKey: randomUUID() },
      ]) {
        const answer = await app.http.raw('POST', `/api/player-auth/wallet/${path}`, '{', caller);
        assert.equal(answer.status, 401, path);
      }
    }
  });

  test('allows 300 unanswered challenges per network, then returns 429 with retry-after', async () => {
    const flooded = await arrangeTenant(app, { providers });
    const { address } = someWallet();
    const answered = await signChallenge(app, flooded);
    assert.equal((await verify(answered, flooded)).status, 200);
    for (let count = 0; count < 300; count++)
      assert.equal((await challenge({ address }, flooded)).status, 200);
    const refused = await challenge({ address }, flooded);
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_attempts']);
    assert.match(refused.headers.get('retry-after') ?? '', /^[1-9]\d{0,2}$/);
    assert.equal((await challenge({ address }, neighbour)).status, 200, 'another tenant is not limited');
  });
});
