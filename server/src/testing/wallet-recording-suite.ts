import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { arrangePlayer } from './arrange.ts';
import type { Answer } from './http-client.ts';
import type { TestApp } from './test-app.ts';
import {
  addAnonymous,
  arrangeWalletPlayer,
  arrangeWalletTenant,
  logInWallet,
  PASSWORD,
  someAddress,
  somePart,
  someRecord,
  walletPlayer,
  type WalletTestPlayer,
} from './wallet-recording.ts';

const MAX = '9223372036854775807';
const MIN = '-9223372036854775808';

/** The zero address, and texts that differ from an address in letter case only. */
const LOOKALIKES = [
  `0x${'0'.repeat(40)}`,
  '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0X5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED',
];

const HASH = /^0x[0-9a-f]{64}$/;

/**
 * The tests of the recording calls, shared by all backends of the ledger. `app` and `second` use the same database, and
 * both allow private addresses.
 */
export async function walletRecordingSuite(app: TestApp, second: TestApp): Promise<void> {
  const tenant = await arrangeWalletTenant(app);
  const other = await arrangeWalletTenant(app, tenant.issuer);
  const player = await arrangeWalletPlayer(app, tenant);
  const key = { gameKey: tenant.gameKey };

  const startMatch = async (by: WalletTestPlayer = player): Promise<number> => {
    const { body } = await by.startMatch({ level: 'cave' });
    return body.matchSessionId;
  };
  const lookUp = (what: 'address' | 'index', name: string, caller: object = key) =>
    app.http.get(`/api/BlockchainStorage/players/lookup/${what}/${encodeURIComponent(name)}`, caller);
  const refused = (answer: Answer, status: number, code?: string) => {
    assert.equal(answer.status, status, answer.text);
    if (code) assert.equal(answer.body.code, code, answer.text);
  };

  test('records a whole game', async () => {
    const own = await arrangeWalletTenant(app, tenant.issuer);
    const ownKey = { gameKey: own.gameKey };
    const address = someAddress();
    const hashes = new Set<string>();
    const ok = (answer: Answer, expected: object) => {
      assert.equal(answer.status, 200, answer.text);
      const { transactionHash, ...rest } = answer.body;
      assert.deepEqual(rest, expected);
      assert.match(transactionHash, HASH);
      hashes.add(transactionHash);
    };

    refused(await lookUp('address', address, ownKey), 404, 'not_found');
    refused(await lookUp('index', 'ada', ownKey), 404, 'not_found');
    const given = { playerId: ' ada ', playerAddress: address.toLowerCase() };
    ok(await addAnonymous(app, own, given), { playerIndex: 1 });
    assert.deepEqual((await lookUp('address', address, ownKey)).body, { playerIndex: 1 });
    assert.deepEqual((await lookUp('index', 'ada', ownKey)).body, { playerIndex: 1 });

    const login = await logInWallet(app, own, address);
    assert.equal(login.status, 200, login.text);
    const { accessToken, ...who } = login.body;
    assert.deepEqual(who, {
      tokenType: 'Bearer',
      expiresIn: 7200,
      playerIndex: 1,
      playerId: 'ada',
      address,
    });
    const ada = walletPlayer(app, accessToken);
    const startTime = Math.floor(Date.now() / 1000);
    ok(await ada.startSession({ device: 'PC', startTime }), { sessionId: 1 });
    ok(await ada.startMatch({ level: 'cave' }), { matchSessionId: 1 });
    ok(await ada.addRecord(someRecord(1)), { id: 1 });
    ok(await ada.addRecord(someRecord(1, { value: '' })), { id: 2 });
    ok(await ada.endPart(somePart(1)), { playDataId: 1, playerIndex: 1 });
    ok(await ada.endMatch({ matchSessionId: 1 }), { playDataId: 1 });
    ok(await ada.setScore({ newScore: 70 }), { playerIndex: 1, newScore: 70 });
    ok(await ada.endSession({ sessionId: 1 }), {});
    assert.equal(hashes.size, 9, 'every write has its own transaction');

    const read = await ada.read(1);
    assert.equal(read.status, 200);
    assert.deepEqual(read.body, {
      playerId: 'ada',
      address,
      playerType: 0,
      score: 70,
      identifiers: { EvmWallet: address },
      verifiedAddresses: [address],
    });
    for (const hash of hashes) {
      const { status, body } = await app.http.get(`/api/BlockchainStorage/transactions/${hash}`, ownKey);
      assert.equal(status, 200);
      assert.equal(body.transactionHash, hash);
      assert.ok(body.entries.length >= 1);
    }
  });

  test('a wallet login creates the player of an address once', async () => {
    const address = someAddress();
    const logins = await Promise.all(
      Array.from({ length: 12 }, (_, index) => logInWallet(index % 2 ? app : second, tenant, address)),
    );
    for (const login of logins) {
      assert.equal(login.status, 200, login.text);
      assert.deepEqual(login.body.playerIndex, logins[0]!.body.playerIndex);
      assert.equal(login.body.playerId, address);
    }
    const { body } = await player.read(logins[0]!.body.playerIndex);
    assert.equal(body.playerType, 1);
    assert.equal(body.score, 0);
  });

  test('returns 401 for a token without an address', async () => {
    const jwt = await tenant.issuer.tokenOf('someone', { wallet_address: 'none' });
    refused(
      await app.http.post('/api/Auth/wallet/login/wallet-jwt', { jwt }, key),
      401,
      'invalid_credentials',
    );
  });

  test('returns 401 for an invalid token, 422 for a disabled provider, and 502 for an unavailable issuer', async () => {
    const post = (jwt: string, caller: object) =>
      app.http.post('/api/Auth/wallet/login/wallet-jwt', { jwt }, caller);
    refused(await post('x.y.z', key), 401, 'invalid_credentials');
    const jwt = await tenant.issuer.tokenOf('someone', { wallet_address: someAddress() });
    await app.owner.query(
      `UPDATE provider_settings SET enabled = false WHERE tenant_id = $1 AND provider = 'WalletJwt'`,
      [other.tenantId],
    );
    refused(await post(jwt, { gameKey: other.gameKey }), 422, 'provider_not_available');
    await app.owner.query(
      `UPDATE provider_settings SET enabled = true WHERE tenant_id = $1 AND provider = 'WalletJwt'`,
      [other.tenantId],
    );
    const away = await arrangeWalletTenant(app);
    away.issuer.fail('broken');
    refused(await logInWallet(app, away, someAddress()), 502, 'provider_unavailable');
  });

  test('returns 403 for a player who is banned from the tenant', async () => {
    const [address, subject] = [someAddress(), randomUUID()];
    const jwt = await tenant.issuer.tokenOf(subject, { wallet_address: address });
    const profile = await app.http.post('/api/player-auth/login', { provider: 'WalletJwt', token: jwt }, key);
    assert.equal(profile.status, 200, profile.text);
    const ban = (until: string | null) =>
      app.owner.query('UPDATE tenant_access SET banned_until = $3 WHERE tenant_id = $1 AND player_id = $2', [
        tenant.tenantId,
        profile.body.playerId,
        until,
      ]);
    await ban('infinity');
    const banned = await logInWallet(app, tenant, address, subject);
    refused(banned, 403, 'player_banned');
    assert.deepEqual(banned.body.ban, { reason: null, until: null });
    refused(await lookUp('address', address), 404);
    await ban(null);
    assert.equal((await logInWallet(app, tenant, address, subject)).status, 200);
  });

  test('add/anon returns 409 for a name or an address that is taken', async () => {
    const [playerId, playerAddress] = [randomUUID(), someAddress()];
    const many = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        addAnonymous(index % 2 ? app : second, tenant, { playerId, playerAddress }),
      ),
    );
    assert.deepEqual(many.map(({ status }) => status).toSorted(), [200, ...Array(7).fill(409)]);
    refused(await addAnonymous(app, tenant, { playerId }), 409, 'player_exists');
    refused(await addAnonymous(app, tenant, { playerAddress }), 409, 'player_exists');
    refused(await addAnonymous(app, tenant, { playerAddress: player.address }), 409, 'player_exists');
    assert.equal((await addAnonymous(app, other, { playerId, playerAddress })).status, 200);
    assert.equal((await addAnonymous(app, tenant, { playerId: playerId.toUpperCase() })).status, 200);
  });

  test('the login succeeds when add/anon and a wallet login for one address run at once', async () => {
    for (let round = 0; round < 4; round++) {
      const [playerId, playerAddress] = [randomUUID(), someAddress()];
      const [added, login] = await Promise.all([
        addAnonymous(app, tenant, { playerId, playerAddress }),
        logInWallet(second, tenant, playerAddress),
      ]);
      assert.equal(login.status, 200, login.text);
      const { body } = await lookUp('address', playerAddress);
      assert.equal(body.playerIndex, login.body.playerIndex);
      if (added.status === 200) assert.equal(added.body.playerIndex, login.body.playerIndex);
      else refused(added, 409, 'player_exists');
    }
  });

  test('add/anon returns 400 for invalid names, addresses and passwords', async () => {
    const bad: Record<string, unknown>[] = [
      { playerId: undefined },
      { playerId: '   ' },
      { playerId: 7 },
      { playerId: 'x'.repeat(65) },
      // Three characters each in Unicode NFC.
      { playerId: '\ufb2c'.repeat(64) },
      ...[
        'a\u0000b',
        'a\nb',
        'a\u0001',
        'ada\u200b',
        '\u200b',
        'a\u00adda',
        '\u2800',
        '\u202eada',
        'a\u00a0b',
        'a  b',
      ].map((playerId) => ({ playerId })),
      { playerId: '.' },
      { playerId: ' .. ' },
      { playerId: someAddress() },
      ...LOOKALIKES.map((playerId) => ({ playerId })),
      { playerAddress: undefined },
      { playerAddress: 'x' },
      { playerAddress: `0x${'0'.repeat(40)}` },
      { playerAddress: '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
      { signInPassword: undefined },
      { signInPassword: '🔑'.repeat(7) },
      { signInPassword: 'x'.repeat(129) },
    ];
    for (const given of bad) refused(await addAnonymous(app, tenant, given), 400);
    const mistyped = { playerAddress: '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed' };
    assert.match((await addAnonymous(app, tenant, mistyped)).body.detail, /the checksum of EIP-55/);
    for (const playerId of ['علی', 'Ada Lovelace', '...', '花子/1', '★'])
      assert.equal((await addAnonymous(app, tenant, { playerId })).status, 200, playerId);
    const longest = { playerId: `🗝${'ü'.repeat(63)}`, signInPassword: '🔑'.repeat(128) };
    assert.equal((await addAnonymous(app, tenant, longest)).status, 200);
    assert.equal((await lookUp('index', longest.playerId)).status, 200);
    assert.equal((await lookUp('index', longest.playerId.normalize('NFD'))).status, 200);
    const address = someAddress();
    const ownName = { playerId: address.toLowerCase(), playerAddress: address, signInPassword: '8 digits' };
    assert.equal((await addAnonymous(app, tenant, ownName)).status, 200);
    assert.equal((await lookUp('index', address)).status, 200);
  });

  test('lookups return 404 for unknown and invalid players', async () => {
    for (const name of ['x', '0x', someAddress(), '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed'])
      refused(await lookUp('address', name), 404, 'not_found');
    for (const name of [randomUUID(), '%', 'ü'.repeat(300)]) refused(await lookUp('index', name), 404);
    for (const index of [0, -1, 1.5, 'x', 999_999, '9007199254740993', MAX])
      refused(await player.read(index), 404, 'not_found');
    refused(await lookUp('address', player.address, { gameKey: other.gameKey }), 404);
    refused(await lookUp('index', player.playerId, { gameKey: other.gameKey }), 404);
  });

  test('a password login works until the owner of the wallet signs in', async () => {
    const [playerId, playerAddress] = [randomUUID(), someAddress()];
    const added = await addAnonymous(app, tenant, { playerId, playerAddress });
    const logIn = (given: object, caller: object = key) =>
      app.http.post(
        '/api/Auth/wallet/login/password',
        { playerId, signInPassword: PASSWORD, ...given },
        caller,
      );
    const login = await logIn({});
    assert.equal(login.status, 200, login.text);
    const { accessToken, ...rest } = login.body;
    const { playerIndex } = added.body;
    assert.deepEqual(rest, {
      tokenType: 'Bearer',
      expiresIn: 7200,
      playerIndex,
      playerId,
      address: playerAddress,
    });
    const wrong = await logIn({ signInPassword: 'wrong horse' });
    const unknown = await logIn({ playerId: randomUUID() });
    for (const answer of [wrong, unknown, await logIn({}, { gameKey: other.gameKey })]) {
      refused(answer, 401, 'invalid_credentials');
      assert.equal(answer.body.detail, wrong.body.detail);
    }
    for (const given of [
      { playerId: undefined },
      { signInPassword: '' },
      { signInPassword: 'x'.repeat(129) },
    ])
      refused(await logIn(given), 400);

    const early = walletPlayer(app, accessToken);
    assert.equal((await early.setScore({ newScore: 3 })).status, 200);
    const read = await early.read(playerIndex);
    assert.deepEqual(read.body, {
      playerId,
      address: playerAddress,
      playerType: 0,
      score: 3,
      identifiers: {},
      verifiedAddresses: [],
    });

    const owner = await arrangeWalletPlayer(app, tenant, playerAddress);
    assert.equal(owner.playerIndex, playerIndex);
    assert.equal(owner.playerId, playerId);
    refused(await logIn({}), 401, 'invalid_credentials');
    refused(await early.setScore({ newScore: 4 }), 401, 'invalid_bearer');
    refused(await early.read(playerIndex), 401, 'invalid_bearer');
    assert.equal((await owner.read(playerIndex)).body.score, 3);
  });

  test('returns 429 after ten wrong passwords', async () => {
    const playerId = randomUUID();
    await addAnonymous(app, tenant, { playerId });
    const attempt = (signInPassword: string) =>
      app.http.post('/api/Auth/wallet/login/password', { playerId, signInPassword }, key);
    for (let count = 0; count < 10; count++) refused(await attempt('wrong horse'), 401);
    const limited = await attempt(PASSWORD);
    refused(limited, 429, 'too_many_attempts');
    assert.ok(Number(limited.headers.get('retry-after')) > 0);
  });

  test('a session ends once, only by its own player, and not before its start', async () => {
    const stranger = await arrangeWalletPlayer(app, tenant);
    const begin = async (startTime: number) =>
      (await player.startSession({ device: 'PC', startTime })).body.sessionId;
    const sessionId = await begin(0);
    refused(await stranger.endSession({ sessionId }), 403, 'forbidden');
    const ends = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        walletPlayer(index % 2 ? app : second, player.bearer).endSession({ sessionId }),
      ),
    );
    assert.deepEqual(ends.map(({ status }) => status).toSorted(), [200, ...Array(7).fill(409)]);
    refused(await player.endSession({ sessionId: 999_999 }), 404, 'not_found');
    const future = await begin(Math.floor(Date.now() / 1000) + 3_600);
    refused(await player.endSession({ sessionId: future }), 409, 'conflict');
    const foreign = await arrangeWalletPlayer(app, other);
    refused(await foreign.endSession({ sessionId: await begin(253_402_300_799) }), 404, 'not_found');
  });

  test('a match ends once, after the part of its player, and accepts records until then', async () => {
    const matchSessionId = await startMatch();
    const stranger = await arrangeWalletPlayer(app, tenant);
    refused(await stranger.addRecord(someRecord(matchSessionId)), 403, 'forbidden');
    refused(await stranger.endPart(somePart(matchSessionId)), 403, 'forbidden');
    refused(await stranger.endMatch({ matchSessionId }), 403, 'forbidden');
    refused(await player.endMatch({ matchSessionId }), 409, 'conflict');
    const race = async (call: (by: ReturnType<typeof walletPlayer>) => Promise<Answer>) => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) => call(walletPlayer(index % 2 ? app : second, player.bearer))),
      );
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array(7).fill(409)]);
    };
    await race((by) => by.endPart(somePart(matchSessionId)));
    refused(await player.addRecord(someRecord(matchSessionId)), 409, 'match_ended');
    await race((by) => by.endMatch({ matchSessionId }));
    refused(await player.addRecord(someRecord(matchSessionId)), 409, 'match_ended');
    refused(await player.endPart(somePart(matchSessionId)), 409, 'match_ended');

    for (const missing of [999_999, Number.MAX_SAFE_INTEGER]) {
      refused(await player.addRecord(someRecord(missing)), 404, 'not_found');
      refused(await player.endPart(somePart(missing)), 404, 'not_found');
      refused(await player.endMatch({ matchSessionId: missing }), 404, 'not_found');
    }
    const foreign = await arrangeWalletPlayer(app, other);
    for (let match = await startMatch(foreign); match < matchSessionId;) match = await startMatch(foreign);
    const theirs = await startMatch(player);
    refused(await foreign.addRecord(someRecord(theirs + 1_000)), 404, 'not_found');
  });

  test('a record names each other player of the tenant once', async () => {
    const friend = await arrangeWalletPlayer(app, tenant);
    const match = await startMatch();
    const add = (otherPlayers: unknown) => player.addRecord(someRecord(match, { otherPlayers }));
    assert.equal((await add([friend.playerIndex])).status, 200);
    const unknown = await add([friend.playerIndex, 888_888]);
    refused(unknown, 404, 'player_not_found');
    assert.match(unknown.body.detail, /888888/);
    for (const bad of [
      [player.playerIndex],
      [friend.playerIndex, friend.playerIndex],
      [0],
      [1.5],
      ['1'],
      '1',
      undefined,
      Array.from({ length: 101 }, (_, index) => index + 1),
    ])
      refused(await add(bad), 400);
  });

  test('integers are exact up to their limits, and rejected beyond', async () => {
    const match = await startMatch();
    const raw = (path: string, body: string) =>
      app.http.raw('POST', `/api/BlockchainStorage/${path}`, body, { bearer: player.bearer });
    const body = (score: string, rest = '') => `{"matchSessionId":${match},"score":${score}${rest}}`;
    const record = ',"key":"k","value":"v","otherPlayers":[]';
    for (const [score, digits] of [
      [MAX, MAX],
      [MIN, MIN],
      [`"${MAX}"`, MAX],
      ['0', '0'],
      ['-0', '0'],
      ['9007199254740993', '9007199254740993'],
      ['9.007199254740993e15', '9007199254740993'],
    ] as const) {
      const set = await raw('players/set/score', `{"newScore":${score}}`);
      assert.match(set.text, new RegExp(`"newScore":${digits}}`));
      const read = await player.read(player.playerIndex);
      assert.match(read.text, new RegExp(`"score":${digits},`));
      assert.equal((await raw('records/match/add', body(score, record))).status, 200);
    }
    for (const score of [
      '9223372036854775808',
      '-9223372036854775809',
      '1.5',
      '1e300',
      '1e-400',
      '9007199254740990.6e0',
      'true',
      '"x"',
      '""',
      '[]',
    ]) {
      refused(await raw('players/set/score', `{"newScore":${score}}`), 400);
      refused(await raw('records/match/add', body(score, record)), 400);
      refused(await raw('match/player/end', body(score, ',"winLoss":0,"matchPosition":0')), 400);
    }
    refused(await raw('players/set/score', '{"newScore":1.00000000000000000001}'), 400);
    const fraction = await raw('players/set/score', '{"newScore":1.5}');
    assert.deepEqual(fraction.body.errors, [
      { path: 'newScore', message: 'must be a signed 64-bit integer, as a number or as a text of digits' },
    ]);
    refused(await raw('players/set/score', '{"newScore":null}'), 400);
    refused(await raw('players/set/score', '{}'), 400);
    for (const [name, low, high] of [
      ['winLoss', -(2 ** 31), 2 ** 31 - 1],
      ['matchPosition', 0, 2 ** 31 - 1],
    ] as const) {
      for (const beyond of [low - 1, high + 1, 0.5, '1'])
        refused(await player.endPart(somePart(match, { [name]: beyond })), 400);
      for (const limit of [low, high])
        assert.equal((await player.endPart(somePart(await startMatch(), { [name]: limit }))).status, 200);
    }
    for (const startTime of [0, 253_402_300_799])
      assert.equal((await player.startSession({ device: 'PC', startTime })).status, 200);
    for (const startTime of [-1, 253_402_300_800, 0.5, '0', undefined])
      refused(await player.startSession({ device: 'PC', startTime }), 400);
    for (const id of [0, -1, 1.5, '1', 2 ** 53, undefined]) {
      refused(await player.endSession({ sessionId: id }), 400);
      refused(await player.endMatch({ matchSessionId: id }), 400);
    }
  });

  test('returns 400 for texts that are too long', async () => {
    const match = await startMatch();
    const tries: [(text: unknown) => Promise<Answer>, number][] = [
      [(device) => player.startSession({ device, startTime: 1 }), 128],
      [(level) => player.startMatch({ level }), 64],
      [(text) => player.addRecord(someRecord(match, { key: text })), 32],
      [(text) => player.addRecord(someRecord(match, { value: text })), 32],
    ];
    for (const [call, longest] of tries) {
      assert.equal((await call('🎮'.repeat(longest))).status, 200);
      for (const bad of ['🎮'.repeat(longest + 1), 'a\u0000', 5, undefined, {}])
        refused(await call(bad), 400);
    }
    // Long integers are kept as strings in scores, and rejected in all other members.
    for (const [path, body] of [
      ['sessions/login/start', '"startTime":1,"device"'],
      ['match/sessions/start/singleplayer', '"level"'],
      ['records/match/add', `"matchSessionId":${match},"score":1,"otherPlayers":[],"value":"","key"`],
      ['records/match/add', `"matchSessionId":${match},"score":1,"otherPlayers":[],"key":"k","value"`],
    ]) {
      const long = `{${body}:9007199254740993}`;
      const { bearer } = player;
      refused(await app.http.raw('POST', `/api/BlockchainStorage/${path}`, long, { bearer }), 400);
    }
    refused(await player.addRecord(someRecord(match, { key: ' ' })), 400);
    refused(await player.startMatch({ level: ' ' }), 400);
    refused(await player.startSession({ device: ' ', startTime: 1 }), 400);
  });

  test('each call accepts only its own credentials', async () => {
    const mock = await arrangePlayer(app, tenant);
    const gameKeyCalls: [string, string, object?][] = [
      ['GET', `players/lookup/address/${player.address}`],
      ['GET', `players/lookup/index/${player.playerId}`],
      ['POST', 'players/add/anon', {}],
    ];
    for (const [method, path, body] of gameKeyCalls) {
      const call = (caller: object) =>
        app.http.raw(method, `/api/BlockchainStorage/${path}`, body && JSON.stringify(body), caller);
      for (const caller of [
        {},
        { bearer: player.bearer },
        { apiKey: tenant.apiKey },
        { gameKey: tenant.apiKey },
      ])
        refused(await call(caller), 401);
    }
    for (const path of ['wallet-jwt', 'password'])
      refused(await app.http.post(`/api/Auth/wallet/login/${path}`, {}, { bearer: player.bearer }), 401);

    const playerCalls: [string, object][] = [
      ['players/set/score', { newScore: 1 }],
      ['sessions/login/start', { device: 'PC', startTime: 1 }],
      ['sessions/login/end', { sessionId: 1 }],
      ['match/sessions/start/singleplayer', { level: 'cave' }],
      ['records/match/add', someRecord(1)],
      ['match/player/end', somePart(1)],
      ['match/sessions/singleplayer/end', { matchSessionId: 1 }],
    ];
    const wrong = [
      {},
      key,
      { ...key, bearer: mock.accessToken },
      { bearer: mock.accessToken },
      { bearer: 'x.y.z' },
      { bearer: player.bearer, gameKey: other.gameKey },
      { bearer: player.bearer, gameKey: 'gh_game_nonsense' },
    ];
    for (const caller of wrong) {
      for (const [path, body] of playerCalls)
        refused(await app.http.post(`/api/BlockchainStorage/${path}`, body, caller), 401);
      refused(await app.http.get(`/api/BlockchainStorage/players/${player.playerIndex}`, caller), 401);
    }
    const both = { ...key, bearer: player.bearer };
    assert.equal(
      (await app.http.post('/api/BlockchainStorage/players/set/score', { newScore: 1 }, both)).status,
      200,
    );

    const exchange = { audience: 'https://shop.example' };
    refused(await app.http.post('/api/player-auth/jwt/exchange', exchange, both), 403, 'wrong_token_scope');
    refused(await app.http.get('/api/player/devices', { bearer: player.bearer }), 401);
    refused(await app.http.get('/api/saas-auth/me', { bearer: player.bearer }), 401);
    refused(
      await app.http.post('/api/game/player-events', { events: [] }, { ...key, bearer: player.bearer }),
      401,
    );
  });

  test('lists the transactions after an index, so that a player finds an entry whose answer was lost', async () => {
    const storage = '/api/BlockchainStorage/transactions';
    const before = (await app.http.get(storage, key)).body.head.index;
    const answers = await Promise.all([
      player.setScore({ newScore: 41 }),
      player.setScore({ newScore: 42 }),
      player.startMatch({ level: 'lost' }),
    ]);
    const { body } = await app.http.get(`${storage}?from=${before + 1}`, { bearer: player.bearer });
    const listed = body.items.map(({ transactionHash }: { transactionHash: string }) => transactionHash);
    for (const answer of answers) assert.ok(listed.includes(answer.body.transactionHash));
    const { entries } = (await app.http.get(`${storage}/${listed.at(-1)}`, key)).body;
    assert.ok(entries.some(({ index }: { index: number }) => index === body.head.index));
  });

  test('only its tenant can read a transaction', async () => {
    const { body } = await player.setScore({ newScore: 5 });
    const read = (hash: string, caller: object) =>
      app.http.get(`/api/BlockchainStorage/transactions/${hash}`, caller);
    for (const caller of [key, { bearer: player.bearer }, { ...key, bearer: player.bearer }])
      assert.equal((await read(body.transactionHash, caller)).status, 200);
    assert.equal((await read(body.transactionHash.toUpperCase().replace('0X', '0x'), key)).status, 200);
    for (const hash of ['x', '0x', `0x${'0'.repeat(64)}`, body.transactionHash.slice(0, -1)])
      refused(await read(hash, key), 404, 'not_found');
    refused(await read(body.transactionHash, { gameKey: other.gameKey }), 404, 'not_found');
    for (const caller of [{}, { apiKey: tenant.apiKey }, { gameKey: other.gameKey, bearer: player.bearer }])
      refused(await read(body.transactionHash, caller), 401);
  });

  test('rejects the token of a player whose index belongs to another player after a restore', async () => {
    const restored = await arrangeWalletTenant(app, tenant.issuer);
    const [lost, kept] = [await arrangeWalletPlayer(app, restored), await arrangeWalletPlayer(app, restored)];
    // The row of a player who was added to the restored database.
    await app.owner.query(
      `UPDATE wallet_players SET player_id = $3, address = $4 WHERE tenant_id = $1 AND player_index = $2`,
      [restored.tenantId, lost.playerIndex, 'newcomer', someAddress()],
    );
    for (const answer of [
      await lost.setScore({ newScore: 1 }),
      await lost.startMatch({ level: 'cave' }),
      await lost.read(lost.playerIndex),
      await lost.read(kept.playerIndex),
    ])
      refused(answer, 401, 'invalid_bearer');
    assert.equal((await kept.read(lost.playerIndex)).body.playerId, 'newcomer');
    assert.equal((await kept.setScore({ newScore: 1 })).status, 200);
  });

  test('rejects the tokens of a disabled tenant', async () => {
    const closing = await arrangeWalletTenant(app, tenant.issuer);
    const last = await arrangeWalletPlayer(app, closing);
    await app.owner.query('UPDATE tenants SET disabled_at = now() WHERE id = $1', [closing.tenantId]);
    const end = Date.now() + 5_000;
    let answer: Answer;
    do answer = await last.setScore({ newScore: 1 });
    while (answer.status === 200 && Date.now() < end);
    refused(answer, 401, 'invalid_bearer');
  });
}
