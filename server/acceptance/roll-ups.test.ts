import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { arrangeTenant, send } from './arrange.ts';
import { dataFolder, exitOf, spawnCommand, startServer } from './server-process.ts';

const folder = dataFolder();
const server = await startServer({ dataDir: folder.path });
after(async () => {
  await server.end('SIGTERM');
  folder.remove();
});

/** Runs `guildhall roll-ups` beside the server. */
async function rollUps(options: string) {
  const command = spawnCommand(`roll-ups ${options}`, { dataDir: folder.path });
  const code = await exitOf(command.child);
  // A slow command also prints its progress.
  return { code, output: command.output().replaceAll(/^tenant .+ so far\.\n/gm, '') };
}

/** Stores three events of a player. */
async function arrangeEvents(): Promise<string> {
  const { accessToken, at, tenantId } = await arrangeTenant(server.url);
  const tenant = `${server.url}${at}`;
  const { key = '' } = await send(`${tenant}/game-keys`, 'POST', { name: 'acceptance' }, accessToken);
  await send(`${tenant}/event-definitions/settings`, 'PATCH', { autoCreate: true }, accessToken);
  const post = async (path: string, body: object, bearer?: string) => {
    const headers = { 'content-type': 'application/json', 'x-game-key': key };
    const answer = await fetch(server.url + path, {
      method: 'POST',
      headers: { ...headers, ...(bearer && { authorization: `Bearer ${bearer}` }) },
      body: JSON.stringify(body),
    });
    assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`);
    return (await answer.json()) as Record<string, string>;
  };
  const player = await post('/api/player-auth/login', { provider: 'Mock', token: 'mock:ada:secret' });
  const events = [1, 2, 3].map((number) => ({
    playerId: player['playerId'],
    eventKey: 'jump',
    idempotencyKey: String(number),
    occurredAt: '2026-11-20T10:00:00Z',
  }));
  await post('/api/game/player-events', { events }, player['accessToken']);
  return tenantId;
}

describe('guildhall roll-ups', () => {
  test('refuses an unknown tenant, as verify does', async () => {
    const id = '00000000-0000-7000-8000-000000000000';
    const refused = { code: 1, output: `No tenant has the id ${id}.\n` };
    assert.deepEqual(await rollUps(`check --tenant ${id}`), refused);
    const command = spawnCommand(`verify --tenant ${id}`, { dataDir: folder.path });
    assert.deepEqual({ code: await exitOf(command.child), output: command.output() }, refused);
  });

  test('names a wrong roll-up, and corrects it while the server runs', async () => {
    const tenantId = await arrangeEvents();
    const rebuilt = { code: 0, output: 'Counted 3 events of 1 days, and the players.\n' };
    assert.deepEqual(await rollUps('rebuild'), rebuilt);
    const right = {
      code: 0,
      output:
        'The roll-ups of 1 days match the stored events.\nThe counts of players match the stored players.\n',
    };
    assert.deepEqual(await rollUps('check'), right);

    const owner = new pg.Client({
      host: join(folder.path, 'socket'),
      user: 'guildhall',
      database: 'guildhall',
    });
    await owner.connect();
    await owner.query(`UPDATE event_rollups SET events = 4 WHERE span = 'hour'`);
    await owner.query(`UPDATE tenant_player_counts SET players = 7 WHERE auth_provider = 'Mock'`);
    await owner.end();
    const wrong = await rollUps(`check --tenant ${tenantId}`);
    assert.equal(wrong.code, 2, wrong.output);
    assert.match(
      wrong.output,
      /^tenant \S+, player events, hour 2026-11-20T10:00:00Z, definition \S+: events is 4 instead of 3$/m,
    );
    assert.match(
      wrong.output,
      /^tenant \S+, player events, hour \S+, all definitions: events is 4 instead of 3$/m,
    );
    assert.match(wrong.output, /^tenant \S+, players of Mock: counted 7 instead of 1$/m);
    assert.match(wrong.output, /^2 roll-ups of 1 days do not match/m);

    assert.deepEqual(await rollUps(`rebuild --tenant ${tenantId}`), rebuilt);
    assert.deepEqual(await rollUps('check'), right);
  });

  test('refuses the id of a tenant that is not one', async () => {
    const { code, output } = await rollUps('check --tenant x');
    assert.equal(code, 1);
    assert.match(output, /"x" is not the id of a tenant/);
  });
});
