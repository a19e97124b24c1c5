import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { arrangeSender } from './arrange.ts';
import { exitOf, spawnCommand, startServer } from './server-process.ts';
import { createStorage } from './storage.ts';

const storage = await createStorage();
const server = await startServer(storage.options);
after(async () => {
  await server.end('SIGTERM');
  await storage.remove();
});

/** Runs `guildhall roll-ups` beside the server. */
async function rollUps(options: string) {
  const command = spawnCommand(`roll-ups ${options}`, storage.options);
  const code = await exitOf(command.child);
  // A slow command also prints its progress.
  return { code, output: command.output().replaceAll(/^tenant .+ so far\.\n/gm, '') };
}

describe('guildhall roll-ups', () => {
  test('refuses an unknown tenant, as verify does', async () => {
    const id = '00000000-0000-7000-8000-000000000000';
    const refused = { code: 1, output: `No tenant has the id ${id}.\n` };
    assert.deepEqual(await rollUps(`check --tenant ${id}`), refused);
    const command = spawnCommand(`verify --tenant ${id}`, storage.options);
    assert.deepEqual({ code: await exitOf(command.child), output: command.output() }, refused);
  });

  test('names a wrong roll-up, and corrects it while the server runs', async () => {
    const { tenantId, some, sendEvents } = await arrangeSender(server.url);
    assert.deepEqual(await sendEvents(some(3)), [3, 0]);
    const rebuilt = { code: 0, output: 'Counted 3 events of 1 days, and the players.\n' };
    assert.deepEqual(await rollUps('rebuild'), rebuilt);
    const right = {
      code: 0,
      output:
        'The roll-ups of 1 days match the stored events.\nThe counts of players match the stored players.\n',
    };
    assert.deepEqual(await rollUps('check'), right);

    await storage.query(`UPDATE event_rollups SET events = 4 WHERE span = 'hour'`);
    await storage.query(`UPDATE tenant_player_counts SET players = 7 WHERE auth_provider = 'Mock'`);
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
