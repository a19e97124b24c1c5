import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { arrangeAccount, arrangeTenant } from '../../../testing/arrange.ts';
import { eventually } from '../../../testing/eventually.ts';
import { startTestApp } from '../../../testing/test-app.ts';
import { vault } from '../../../testing/test-vault.ts';
import { openDatabase } from '../../../database/database.ts';
import { createProviderSettings, type Provider } from './index.ts';

const app = await startTestApp();
const strict = await startTestApp({ databaseUrl: app.databaseUrl, env: { MOCK_PROVIDER: 'off' } });
const tenant = await arrangeTenant(app, { providers: [] });
const foreign = await arrangeTenant(app);
const [admin, viewer, stranger] = [
  await arrangeAccount(app, tenant, 'admin'),
  await arrangeAccount(app, tenant, 'viewer'),
  await arrangeAccount(app, foreign, 'owner'),
];
const pathOf = (provider = '', tenantId = tenant.tenantId) =>
  `/api/bus_tenants/${tenantId}/providers${provider && `/${provider}`}`;
const read = (provider: string) => app.http.get(pathOf(provider), viewer);
const put = (provider: string, body: unknown) => app.http.put(pathOf(provider), body, admin);
const signIn = ({ http } = app) =>
  http.post('/api/player-auth/login', { provider: 'Mock', token: 'mock:ada:secret' }, tenant);

/** Returns the settings that a login with the provider uses, without a cache. */
async function settingsFor(provider: Provider): Promise<Record<string, unknown>> {
  const database = openDatabase(app.databaseUrl, { poolSize: 1 });
  const silent = { on: () => {}, close: async () => {} };
  const settings = createProviderSettings(database, silent, vault, { mockProvider: false });
  try {
    return await settings.require(tenant.tenantId, provider);
  } finally {
    await database.close();
  }
}

describe('GET /api/bus_tenants/{tenantId}/providers', () => {
  test('returns every provider, all disabled in a new tenant', async () => {
    const { items } = (await app.http.get(pathOf(), viewer)).body;
    assert.deepEqual(
      items.map((item: { provider: string }) => item.provider),
      ['StoreA', 'StoreB', 'WalletJwt', 'EvmWallet', 'EmailOneTimeCode', 'EmailPassword', 'Mock'],
    );
    assert.deepEqual((await read('StoreA')).body, {
      provider: 'StoreA',
      enabled: false,
      isConfigured: false,
      settings: { hasWebApiKey: false },
      updatedAt: null,
    });
    assert.deepEqual(items[0], (await read('StoreA')).body);
  });
});

describe('PUT /api/bus_tenants/{tenantId}/providers/{provider}', () => {
  test('encrypts a secret, keeps it when it is omitted, and never returns it', async () => {
    const first = await put('StoreA', {
      enabled: true,
      settings: { appId: ' 480 ', webApiKey: 'very secret', identity: 'guildhall' },
    });
    assert.equal(first.status, 200, first.text);
    const shown = { appId: '480', identity: 'guildhall', hasWebApiKey: true };
    assert.deepEqual(first.body.settings, shown);
    assert.equal(first.body.isConfigured, true);

    // A console sends back the settings that it has read, with one change.
    const again = await put('StoreA', { enabled: true, settings: { ...first.body.settings, appId: '481' } });
    assert.deepEqual(again.body.settings, { ...shown, appId: '481' });
    assert.deepEqual((await read('StoreA')).body, again.body);
    assert.deepEqual(await settingsFor('StoreA'), {
      appId: '481',
      identity: 'guildhall',
      webApiKey: 'very secret',
    });

    const off = await put('StoreA', { enabled: false });
    assert.deepEqual(off.body.settings, again.body.settings);
    const replaced = await put('StoreA', { enabled: true, settings: { appId: '481', webApiKey: 'newer' } });
    assert.deepEqual(replaced.body.settings, { appId: '481', hasWebApiKey: true });
    assert.equal((await settingsFor('StoreA'))['webApiKey'], 'newer');

    const stored = await app.owner.query(
      `SELECT to_jsonb(s)::text AS text, encode(secrets, 'escape') AS secrets FROM provider_settings s WHERE tenant_id = $1`,
      [tenant.tenantId],
    );
    const audited = await app.owner.query(
      `SELECT details::text AS text FROM audit_records WHERE tenant_id = $1 AND target_id = 'StoreA' ORDER BY id`,
      [tenant.tenantId],
    );
    for (const { text, secrets = '' } of [...stored.rows, ...audited.rows])
      assert.doesNotMatch(text + secrets, /very secret|newer/);
    assert.equal(audited.rows.length, 4);
    assert.deepEqual(JSON.parse(audited.rows[3].text).replacedSecrets, ['webApiKey']);
  });

  test('accepts the settings of each provider', async () => {
    const good: [Provider, object | undefined][] = [
      ['StoreB', { clientId: 'client' }],
      ['WalletJwt', { issuer: 'https://wallet.example', audience: 'game', addressClaim: 'address' }],
      ['WalletJwt', { issuer: 'https://wallet.example/tenant', audience: 'game' }],
      ['WalletJwt', { issuer: 'https://wallet.example', audience: ['game'] }],
      ['WalletJwt', { issuer: 'https://wallet.example', audience: Array.from('0123456789') }],
      ['EvmWallet', { chainIds: [1, 137] }],
      ['EvmWallet', {}],
      ['EmailOneTimeCode', undefined],
      ['EmailPassword', {}],
      ['Mock', {}],
    ];
    for (const [provider, settings] of good) {
      const answer = await put(provider, { enabled: true, settings });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.body.settings, settings ?? {});
      assert.equal(answer.body.isConfigured, true);
    }
  });

  test('ignores the settings of other providers', async () => {
    const settings = { clientId: 'client', appId: '480' };
    const answer = await put('StoreB', { enabled: true, settings });
    assert.deepEqual([answer.status, answer.body.settings], [200, { clientId: 'client' }]);
  });

  test('returns 400 for invalid settings and changes nothing', async () => {
    const before = (await app.http.get(pathOf(), viewer)).body;
    const bad: [string, unknown][] = [
      ['StoreA', { enabled: true, settings: { webApiKey: 'x' } }],
      ['StoreA', { enabled: true, settings: { appId: 480 } }],
      ['StoreA', { enabled: true, settings: { appId: '480', webApiKey: '' } }],
      ['StoreA', { enabled: true, settings: { appId: '480', identity: 'x'.repeat(257) } }],
      ['StoreB', { enabled: true, settings: {} }],
      ['WalletJwt', { enabled: true, settings: { issuer: 'wallet', audience: 'game' } }],
      ['WalletJwt', { enabled: true, settings: { issuer: 'ftp://wallet', audience: 'game' } }],
      ['EvmWallet', { enabled: true, settings: { chainIds: ['1'] } }],
      ['EvmWallet', { enabled: true, settings: { chainIds: [0] } }],
      ['Mock', { enabled: 'yes' }],
      ['Mock', { enabled: true, settings: { clientId: 480 } }],
      ['Mock', { settings: {} }],
      ['Mock', { enabled: null }],
      ['Mock', []],
      ['Mock', undefined],
    ];
    for (const [provider, body] of bad) {
      const answer = await put(provider, body);
      assert.equal(answer.status, 400, `${provider} ${JSON.stringify(body)}: ${answer.text}`);
    }
    assert.equal((await put('StoreB', bad[4]![1])).body.errors[0].path, 'settings.clientId');
    assert.deepEqual((await app.http.get(pathOf(), viewer)).body, before);
  });

  test('returns 400 for an audience that is not a text or an array of 1 to 10 distinct texts', async () => {
    const set = (audience: unknown) => {
      const settings = { issuer: 'https://wallet.example', audience };
      return put('WalletJwt', { enabled: true, settings });
    };
    assert.deepEqual((await set([' android ', 'web'])).body.settings.audience, ['android', 'web']);
    const bad: [audience: unknown, path: string, message: string][] = [
      ['', 'audience', 'must not be empty'],
      ['x'.repeat(257), 'audience', 'must have at most 256 characters'],
      [5, 'audience', 'must be an array or a string'],
      [{ web: 'web' }, 'audience', 'must be an array or a string'],
      [[], 'audience', 'must not be empty'],
      [Array.from('0123456789a'), 'audience', 'must have at most 10 items'],
      [['web', 'web'], 'audience', 'must not have an item twice'],
      [['web', ' '], 'audience.1', 'must not be empty'],
      [['web', 'x'.repeat(257)], 'audience.1', 'must have at most 256 characters'],
      [['web', 5], 'audience.1', 'must be a string'],
      [['web', ['android']], 'audience.1', 'must be a string'],
      [['web', null], 'audience.1', 'must be a string'],
    ];
    for (const [audience, path, message] of bad) {
      const { status, body, text } = await set(audience);
      assert.deepEqual([status, body.errors?.[0]], [400, { path: `settings.${path}`, message }], text);
    }
  });

  test('accepts only a public https issuer without query and fragment', async () => {
    const set = (issuer: unknown, http = app.http) =>
      http.put(pathOf('WalletJwt'), { enabled: true, settings: { issuer, audience: 'game' } }, admin);
    const longest = `https://wallet.example/${'x'.repeat(489)}`;
    for (const issuer of [longest, ' https://wallet.example/ ', 'https://wallet.example:8443/a/b']) {
      const answer = await set(issuer);
      assert.deepEqual([answer.status, answer.body.settings?.issuer], [200, issuer.trim()], answer.text);
    }
    for (const issuer of [
      `${longest}x`,
      '',
      'wallet.example',
      'http://wallet.example',
      'https://ada:secret@wallet.example',
      'https://wallet.example?x=1',
      'https://wallet.example/#keys',
      'https://wallet.example/?',
      'https://wället.example',
      'https://wallet.example/a b',
      'https://127.0.0.1',
      'https://2130706433',
      'https://[::1]',
      'https://169.254.169.254/latest',
      'https://localhost:8443',
    ]) {
      const answer = await set(issuer);
      assert.deepEqual(
        [answer.status, answer.body.code, answer.body.errors?.[0].path],
        [400, 'invalid_request', 'settings.issuer'],
        issuer,
      );
    }
    const lenient = await startTestApp({
      databaseUrl: app.databaseUrl,
      env: { ALLOW_PRIVATE_ADDRESSES: 'on' },
    });
    assert.equal((await set('http://127.0.0.1:4000', lenient.http)).status, 200);
    assert.equal((await set('http://ada@127.0.0.1:4000', lenient.http)).status, 400);
  });

  test('enables a provider without its required settings, but logins return 422', async () => {
    const tenant = await arrangeTenant(app, { providers: [] });
    const owner = await arrangeAccount(app, tenant, 'owner');
    const enabled = await app.http.put(pathOf('StoreA', tenant.tenantId), { enabled: true }, owner);
    assert.equal(enabled.body.isConfigured, false);
    const body = { provider: 'StoreA', token: 'ticket' };
    const login = await app.http.post('/api/player-auth/login', body, tenant);
    assert.equal(login.status, 422);
    assert.match(login.body.detail, /^StoreA is not configured for this tenant/);
  });

  test('applies a change in every process', async () => {
    const other = await startTestApp({ databaseUrl: app.databaseUrl });
    await put('Mock', { enabled: true });
    for (let round = 0; round < 3; round++) {
      assert.equal((await signIn()).status, 200);
      await eventually(async () => (await signIn(other)).status === 200);
      await put('Mock', { enabled: false });
      assert.equal((await signIn()).status, 422);
      await eventually(async () => (await signIn(other)).status === 422);
      await put('Mock', { enabled: true });
    }
  });

  test('allows Mock only in the demo tenant when the operator does not allow it', async () => {
    const enable = () => strict.http.put(pathOf('Mock'), { enabled: true }, admin);
    await put('Mock', { enabled: true });
    assert.equal((await signIn(strict)).status, 422, 'Mock was enabled before the operator disallowed it');
    const refused = await enable();
    assert.equal(refused.status, 422);
    assert.equal(refused.body.code, 'provider_not_available');
    assert.equal((await strict.http.put(pathOf('Mock'), { enabled: false }, admin)).status, 200);
    assert.equal((await strict.http.put(pathOf('EmailPassword'), { enabled: true }, admin)).status, 200);

    await app.owner.query('UPDATE tenants SET is_demo = true WHERE id = $1', [tenant.tenantId]);
    assert.equal((await enable()).status, 200);
    assert.equal((await signIn(strict)).status, 200);
    await app.owner.query('UPDATE tenants SET is_demo = false WHERE id = $1', [tenant.tenantId]);
  });
});

describe('authorization of provider endpoints', () => {
  test('returns 404 for unknown providers and for other tenants', async () => {
    for (const provider of ['Nobody', 'mock', 'constructor', '__proto__', 'toString']) {
      assert.equal((await read(provider)).status, 404, provider);
      assert.equal((await put(provider, { enabled: true })).status, 404, provider);
      assert.equal((await put(provider, { enabled: 5 })).status, 404, provider);
    }
    const { body: unknown } = await read('Nobody');
    assert.deepEqual(
      [unknown.code, unknown.detail],
      [
        'not_found',
        'The path is not valid: provider must be StoreA, StoreB, WalletJwt, EvmWallet, EmailOneTimeCode, EmailPassword or Mock.',
      ],
    );
    for (const [caller, tenantId] of [
      [stranger, tenant.tenantId],
      [admin, foreign.tenantId],
      [admin, randomUUID()],
      [admin, tenant.workspaceId],
      [admin, 'x'],
    ] as const) {
      assert.equal((await app.http.get(pathOf('', tenantId), caller)).status, 404);
      assert.equal((await app.http.get(pathOf('Mock', tenantId), caller)).status, 404);
      assert.equal((await app.http.put(pathOf('Mock', tenantId), { enabled: true }, caller)).status, 404);
    }
  });

  test('returns 403 to viewers who change settings, and 401 without a console token', async () => {
    assert.equal((await app.http.put(pathOf('Mock'), { enabled: true }, viewer)).status, 403);
    for (const caller of [{}, { gameKey: tenant.gameKey }, { apiKey: tenant.apiKey }]) {
      assert.equal((await app.http.get(pathOf(), caller)).status, 401);
      assert.equal((await app.http.get(pathOf('Mock'), caller)).status, 401);
      assert.equal((await app.http.put(pathOf('Mock'), { enabled: true }, caller)).status, 401);
    }
  });
});
