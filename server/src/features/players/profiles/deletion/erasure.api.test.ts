import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { verify } from '../../../../cli/verify.ts';
import { arrangeAccount, arrangeTenant } from '../../../../testing/arrange.ts';
import { holdLogins } from '../../../../testing/hold-logins.ts';
import type { Caller } from '../../../../testing/http-client.ts';
import { untilBlocked } from '../../../../testing/row-locks.ts';
import { startTestApp } from '../../../../testing/test-app.ts';
import { vault } from '../../../../testing/test-vault.ts';

const app = await startTestApp({ env: { TRUST_PROXY: 'on' } });
const tenant = await arrangeTenant(app);
const sibling = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
const admin = await arrangeAccount(app, tenant, 'admin');
const ME = '/api/player-profile/me';

/** Texts that appear nowhere else: an address, and words in the metadata of the client and of the device. */
function newMarks() {
  const [a, b] = randomBytes(2);
  const name = randomBytes(8).toString('hex');
  return {
    address: `203.${a}.${b}.77`,
    client: `client-${name}`,
    device: `device-${name}`,
    fingerprint: `fingerprint-${name}`,
  };
}
type Marks = ReturnType<typeof newMarks>;

const newName = () => randomBytes(6).toString('hex');

async function signIn(username: string, marks: Marks, at = tenant) {
  const answer = await app.http.post(
    '/api/player-auth/login',
    {
      provider: 'Mock',
      token: `mock:${username}:secret`,
      clientInfo: { platform: 'PC_Linux', clientVersion: '1.2', metadata: { said: marks.client } },
      deviceInfo: {
        deviceFingerprint: marks.fingerprint,
        hardwareModel: marks.device,
        osVersion: marks.device,
        metadata: { said: marks.device },
      },
    },
    { gameKey: at.gameKey, headers: { 'x-forwarded-for': marks.address } },
  );
  assert.equal(answer.status, 200, answer.text);
  const { playerId, sessionId, accessToken } = answer.body as Record<string, string>;
  const bearer = accessToken!;
  return {
    username,
    playerId: playerId!,
    sessionId: sessionId!,
    bearer,
    headers: { 'x-forwarded-for': marks.address },
  };
}

const logOut = (sessionId: string, deviceId: string) =>
  app.http.post('/api/player-auth/logout', { sessionId, deviceId }, tenant);
const remove = (caller: Caller) => app.http.delete(ME, caller);
const exported = async (caller: Caller) => {
  const { status, body, text } = await app.http.get(`${ME}/export`, caller);
  assert.equal(status, 200, text);
  return body;
};
const addresses = async (caller: Caller): Promise<(string | null)[]> => {
  const { body } = await app.http.get('/api/player/sessions/history', caller);
  return body.sessions.map(({ ipAddress }: { ipAddress: string | null }) => ipAddress);
};
const saltsOf = async (playerIds: string[]) =>
  (
    await app.owner.query('SELECT key_salt FROM login_sessions WHERE player_id = ANY($1)', [playerIds])
  ).rows.map(({ key_salt }) => key_salt as Buffer | null);

/** Every value of every row, as a dump of the database would have it, by table. Bytes are also read as text. */
async function dump(): Promise<Map<string, string>> {
  const { rows: tables } = await app.owner.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class
     WHERE relkind = 'r' AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace, 'pg_toast'::regnamespace)`,
  );
  const texts = new Map<string, string>();
  for (const { name } of tables) {
    const { rows } = await app.owner.query<{ row: string }>(`SELECT to_jsonb(r)::text AS row FROM ${name} r`);
    const plain = rows.map(({ row }) => row).join('\n');
    const bytes = [...plain.matchAll(/\\\\x([0-9a-f]+)/g)].map(([, hex]) =>
      Buffer.from(hex!, 'hex').toString('latin1'),
    );
    texts.set(name, [plain, ...bytes].join('\n'));
  }
  return texts;
}

/** The tables that contain one of the marks. */
async function tablesWith(...marks: string[]): Promise<string[]> {
  const found = [...(await dump())].filter(([, text]) => marks.some((mark) => text.includes(mark)));
  return found.map(([name]) => name);
}

const isLedger = (table: string) => /login_ledger|logout_ledger/.test(table);

describe('personal data in the ledgers', () => {
  test('is shown to its player, and is in no column in plain text', async () => {
    const marks = newMarks();
    const player = await signIn(newName(), marks);
    const deviceId = randomUUID();
    assert.equal((await logOut(player.sessionId, deviceId)).status, 200);

    assert.deepEqual(await addresses(player), [marks.address]);
    const { logins, logouts } = await exported(player);
    assert.deepEqual([logins[0].ipAddress, logins[0].metadata], [marks.address, { said: marks.client }]);
    assert.deepEqual(logouts[0].metadata, { deviceId });
    for (const member of ['keySalt', 'personalData'])
      assert.equal(JSON.stringify({ logins, logouts }).includes(member), false, member);

    assert.ok((await tablesWith(marks.address)).includes('login_sessions'), 'the dump finds plain addresses');
    assert.deepEqual((await tablesWith(marks.address, marks.client, deviceId)).filter(isLedger), []);
  });

  test('cannot be moved to the row of another login', async () => {
    const [mine, theirs] = [newMarks(), newMarks()];
    const player = await signIn(newName(), mine);
    const other = await signIn(newName(), theirs);
    await app.owner.query(
      `UPDATE login_sessions SET key_salt = (SELECT key_salt FROM login_sessions WHERE session_id = $2) WHERE session_id = $1`,
      [player.sessionId, other.sessionId],
    );
    await app.owner.query(
      `UPDATE login_ledger SET personal_data = (SELECT personal_data FROM login_ledger WHERE session_id = $2) WHERE session_id = $1`,
      [player.sessionId, other.sessionId],
    );
    assert.deepEqual(await addresses(player), [null]);
    const altered: { id: string }[] = [];
    await verify(app.databaseUrl, { tenantId: tenant.tenantId }, (row) => altered.push(row));
    assert.equal(altered.length, 1);
    await app.owner.query('DELETE FROM login_ledger WHERE session_id = $1', [player.sessionId]);
  });
});

describe('the deletion of a player', () => {
  test('erases the data of all logins and logouts, and keeps their rows valid', async () => {
    const [marks, kept] = [newMarks(), newMarks()];
    const player = await signIn(newName(), marks);
    const second = await signIn(player.username, marks, sibling);
    const bystander = await signIn(newName(), kept);
    const deviceId = randomUUID();
    assert.equal((await logOut(second.sessionId, deviceId)).status, 404, 'the session is of another tenant');
    assert.equal((await logOut(player.sessionId, deviceId)).status, 200);
    assert.equal(
      (await app.http.post(`${ME}/auth-methods`, { provider: 'Mock', token: `mock:${newName()}:x` }, player))
        .status,
      201,
    );
    const trail = `/api/bus_tenants/${tenant.tenantId}/audit-records?targetId=${player.playerId}`;
    const linked = async () =>
      (await app.http.get(`${trail}&action=player.auth_method_linked`, admin)).body.items[0];
    assert.equal((await linked()).ipAddress, marks.address);
    const salts = await saltsOf([player.playerId]);
    assert.equal(new Set(salts.map(String)).size, 2, 'each session has its own key');

    assert.equal((await remove(player)).status, 204);

    assert.deepEqual(
      await tablesWith(marks.address, marks.client, marks.device, marks.fingerprint, deviceId),
      [],
    );
    const left = [...(await dump()).values()].join('\n');
    for (const salt of salts) assert.equal(left.includes(salt!.toString('hex')), false);
    assert.deepEqual(await addresses(player), [null, null]);
    const { logins, logouts, devices } = await exported(player);
    assert.deepEqual(
      logins.map(({ ipAddress, metadata, clientVersion }: Record<string, unknown>) => [
        ipAddress,
        metadata,
        clientVersion,
      ]),
      [
        [null, null, '1.2'],
        [null, null, '1.2'],
      ],
    );
    assert.equal(logouts.find(({ reason }: { reason: string }) => reason === 'user_logout').metadata, null);
    assert.deepEqual(
      [devices[0].metadata, devices[0].hardwareModel, devices[0].deviceName],
      [{}, null, null],
    );
    assert.equal((await linked()).ipAddress, null);
    assert.deepEqual(
      (await app.http.get(`${trail}&action=player.self_deleted`, admin)).body.items[0].ipAddress,
      null,
    );

    const altered: unknown[] = [];
    let verified = 0;
    const onRows = (rows: number) => (verified += rows);
    await verify(app.databaseUrl, {}, (row) => altered.push(row), { onRows });
    assert.ok(verified >= 3);
    assert.deepEqual(altered, []);
    assert.deepEqual(await addresses(bystander), [kept.address], 'other players keep their data');
  });

  test('leaves nothing in the database that decrypts the data, even with the master key', async () => {
    const marks = newMarks();
    const player = await signIn(newName(), marks);
    const sealed = async () =>
      (
        await app.owner.query<{ id: string; data: Buffer }>(
          'SELECT id, personal_data AS data FROM login_ledger WHERE session_id = $1',
          [player.sessionId],
        )
      ).rows[0]!;
    /** Tries the master key alone, and with every byte string of the database as the salt. */
    const opens = async () => {
      const { id, data } = await sealed();
      const purpose = `login_ledger ${tenant.tenantId} ${id}`;
      const texts = [...(await dump()).values()].join('\n');
      const salts = [...new Set([...texts.matchAll(/\\\\x([0-9a-f]*)/g)].map(([, hex]) => hex!))];
      const ids = [...new Set(texts.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g))];
      const sealers = [
        vault,
        ...[...salts, ...ids.map((text) => text.replaceAll('-', ''))].map((hex) =>
          vault.withSalt(Buffer.from(hex, 'hex')),
        ),
      ];
      return sealers.flatMap((sealer) => {
        try {
          return [sealer.open(data, purpose)];
        } catch {
          return [];
        }
      });
    };
    const before = await sealed();
    assert.deepEqual(
      await opens(),
      [JSON.stringify([marks.address, { said: marks.client }])],
      'before the deletion one opens it',
    );
    assert.equal((await remove(player)).status, 204);
    assert.deepEqual(await opens(), []);
    assert.deepEqual(await sealed(), before, 'the row itself has not changed');
  });

  test('erases more tokens of third parties and audit records than one statement changes', async () => {
    const player = await signIn(newName(), newMarks());
    const ROWS = 5_001;
    await app.owner.query(
      `INSERT INTO third_party_refresh_tokens
         (tenant_id, token_hash, family_id, session_id, player_id, audience, display_name, expires_at)
       SELECT $1, uuid_send(gen_random_uuid()), gen_random_uuid(), $2, $3, 'https://shop.example', 'Ada', now() + interval '1 day'
       FROM generate_series(1, $4)`,
      [tenant.tenantId, player.sessionId, player.playerId, ROWS],
    );
    await app.owner.query(
      `INSERT INTO audit_records (id, tenant_id, actor_kind, actor_id, action, ip_address)
       SELECT gen_random_uuid(), $1, 'player', $2, 'refresh_token.reused', '203.0.113.1' FROM generate_series(1, $3)`,
      [tenant.tenantId, player.playerId, ROWS],
    );
    // A statement that changes too many rows is cancelled after 10 seconds.
    await app.owner.query(`
      CREATE FUNCTION refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF (SELECT count(*) FROM changed) > 5000 THEN RAISE 'too many rows in one statement'; END IF;
          RETURN NULL;
        END $$`);
    for (const table of ['third_party_refresh_tokens', 'audit_records'])
      await app.owner.query(
        `CREATE TRIGGER refuse_many AFTER UPDATE ON ${table} REFERENCING NEW TABLE AS changed
         FOR EACH STATEMENT EXECUTE FUNCTION refuse_many()`,
      );
    const answer = await remove(player);
    assert.equal(answer.status, 204, answer.text);
    for (const left of [
      'third_party_refresh_tokens WHERE player_id = $1 AND (revoked_at IS NULL OR display_name IS NOT NULL)',
      'audit_records WHERE actor_id = $1 AND ip_address IS NOT NULL',
    ])
      assert.equal((await app.owner.query(`SELECT FROM ${left}`, [player.playerId])).rowCount, 0);
    await app.owner.query('DROP FUNCTION refuse_many CASCADE');
  });

  test('erases the data of a login that is in progress', async () => {
    const marks = newMarks();
    const player = await signIn(newName(), marks);
    const held = await holdLogins(app);
    const signingIn = signIn(player.username, marks);
    await held.arrival();
    const deleting = remove(player);
    await untilBlocked(app);
    await held.release();
    const [signedIn, deleted] = await Promise.all([signingIn, deleting]);
    assert.equal(deleted.status, 204);
    assert.equal(signedIn.playerId, player.playerId, 'the login commits first');
    assert.deepEqual(await saltsOf([player.playerId]), [null, null]);
    assert.deepEqual(await tablesWith(marks.address, marks.client), []);
  });

  test('erases the address of a refresh token that is reused at the same moment', async () => {
    const marks = newMarks();
    const player = await signIn(newName(), marks);
    assert.equal((await logOut(player.sessionId, randomUUID())).status, 200);
    // A reuse locks the ended session, and writes its audit record.
    const reuse = await app.owner.connect();
    await reuse.query('BEGIN');
    await reuse.query('UPDATE login_sessions SET tokens_revoked_at = now() WHERE session_id = $1', [
      player.sessionId,
    ]);
    await reuse.query(
      `INSERT INTO audit_records (id, tenant_id, actor_kind, actor_id, action, ip_address)
       VALUES (gen_random_uuid(), $1, 'player', $2, 'refresh_token.reused', $3)`,
      [tenant.tenantId, player.playerId, marks.address],
    );
    const elsewhere = await signIn(player.username, newMarks(), sibling);
    const deleting = remove(elsewhere);
    await untilBlocked(app);
    await reuse.query('COMMIT');
    reuse.release();
    assert.equal((await deleting).status, 204);
    assert.deepEqual(await tablesWith(marks.address), []);
  });

  test('erases the data of merged profiles, which the merge keeps', async () => {
    const [own, absorbed] = [newMarks(), newMarks()];
    const target = await signIn(newName(), own);
    const source = await signIn(newName(), absorbed);
    const merged = await app.http.post(
      `${ME}/merge`,
      {
        sourceProfileId: source.playerId,
        sourceProvider: 'Mock',
        sourceAuthToken: `mock:${source.username}:secret`,
      },
      target,
    );
    assert.equal(merged.status, 200, merged.text);
    assert.deepEqual(await addresses(target), [absorbed.address, own.address]);
    const { logins } = await exported(target);
    assert.deepEqual(
      new Set(logins.map(({ metadata }: { metadata: { said: string } }) => metadata.said)),
      new Set([own.client, absorbed.client]),
    );
    assert.equal((await remove(target)).status, 204);
    assert.deepEqual(await saltsOf([target.playerId, source.playerId]), [null, null]);
    assert.deepEqual(await addresses(target), [null, null]);
    const marks = [own, absorbed].flatMap((each) => Object.values(each));
    assert.deepEqual(await tablesWith(...marks), []);
  });

  test('lets a later logout of the session store no metadata', async () => {
    const player = await signIn(newName(), newMarks());
    const deviceId = randomUUID();
    assert.equal((await remove(player)).status, 204);
    assert.equal((await logOut(player.sessionId, deviceId)).status, 200);
    assert.deepEqual(await tablesWith(deviceId), []);
  });
});
