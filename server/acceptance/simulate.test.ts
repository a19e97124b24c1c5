import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { accepted } from './http.ts';
import { dataFolder, exitOf, spawnCommand, startServer, type CommandProcess } from './server-process.ts';

const { path: dataDir, remove } = dataFolder();
after(remove);
const server = await startServer({ dataDir, env: { GUILDHALL_DEMO: 'on' } });
await eventually(() => server.output().includes('curl'));
const printed = (name: string): string =>
  new RegExp(`^ *${name}=(\\S+)$`, 'm').exec(server.output())?.[1] ?? '';
const tenantId = printed('TENANT_ID');

const account = { email: printed('ADMIN_EMAIL'), password: printed('ADMIN_PASSWORD') };
const { accessToken: bearer } = await accepted('POST', `${server.url}/api/saas-auth/login`, {
  body: account,
});
/** Sends a request as the admin of the demo. */
const send = (method: string, path: string, body?: object) =>
  accepted(method, server.url + path, { bearer, body });

/** Requests of an account are limited, so a test that waits asks a few times a second. */
const BETWEEN_READS_MS = 300;

function start(options: string, env: Record<string, string> = {}): CommandProcess {
  return spawnCommand(`simulate --url ${server.url} ${options}`.trim(), { dataDir, env });
}

/** Ends the command when the tenant has events, however long that takes on a busy machine. */
async function runUntilEvents(command: CommandProcess, tenant: string, scope: string) {
  await eventually(async () => {
    await sleep(BETWEEN_READS_MS);
    const { items } = await send('GET', `/api/bus_tenants/${tenant}/events?scope=${scope}`);
    return items.length > 0;
  });
  assert.equal(await command.end('SIGINT'), 0, command.output());
  return command.output();
}

async function run(options: string, env?: Record<string, string>) {
  const command = start(options, env);
  const code = await exitOf(command.child);
  return { code, output: command.output() };
}

/** The numbers of the summary. */
function counts(output: string) {
  const [, players, newPlayers] = /^players +([\d,]+) +([\d,]+) new$/m.exec(output) ?? [];
  const [, matches, ended] = /^matches +([\d,]+) +([\d,]+) ended$/m.exec(output) ?? [];
  const [, stored, refused] = /^events +([\d,]+) +([\d,]+) refused/m.exec(output) ?? [];
  const number = (text = 'missing') => Number(text.replaceAll(',', ''));
  return {
    players: number(players),
    newPlayers: number(newPlayers),
    matches: number(matches),
    ended: number(ended),
    stored: number(stored),
    refused: number(refused),
  };
}

/** Creates a tenant with Mock and a game key in the demo's workspace. */
async function createTenant({ autoCreate }: { autoCreate: boolean }) {
  const { workspaceId } = await send('GET', `/api/bus_tenants/${tenantId}`);
  const name = `Game ${crypto.randomUUID()}`;
  const { id } = await send('POST', `/api/workspaces/${workspaceId}/bus_tenants`, { name });
  await send('PUT', `/api/bus_tenants/${id}/providers/Mock`, { enabled: true });
  await send('PATCH', `/api/bus_tenants/${id}/event-definitions/settings`, { autoCreate });
  const { key } = await send('POST', `/api/bus_tenants/${id}/game-keys`, { name: 'Game' });
  return { id: id as string, gameKey: key as string };
}

async function readAll(tenant: string, gameKey: string) {
  const read = (scope: string) => send('GET', `/api/bus_tenants/${tenant}/events?scope=${scope}&limit=1000`);
  const [inMatches, byPlayers] = await Promise.all([read('match'), read('player')]);
  const matchIds = new Set<string>(
    inMatches.items.map((event: { matchSessionId: string }) => event.matchSessionId),
  );
  const matches = await Promise.all(
    [...matchIds].map((id) => accepted('GET', `${server.url}/api/game/matches/${id}`, { gameKey })),
  );
  const definitions = await send('GET', `/api/bus_tenants/${tenant}/event-definitions`);
  const players = await send('GET', `/api/bus_tenants/${tenant}/players?limit=200`);
  return { events: [...inMatches.items, ...byPlayers.items], matches, definitions, players };
}

describe('guildhall simulate', () => {
  test('plays without a key in the demo of the embedded database', async () => {
    // Eight of them are online, so at least one is in no match and sends player events.
    const command = start('--players 24 --rate 100 --duration 1h --spike off');
    const output = await runUntilEvents(command, tenantId, 'player');
    const counted = counts(output);
    const { events, players, matches } = await readAll(tenantId, printed('GAME_KEY'));
    assert.ok(counted.stored > 0, output);
    assert.equal(events.length, counted.stored);
    assert.equal(players.totalCount, counted.players);
    assert.equal(counted.newPlayers, counted.players);
    assert.equal(counted.ended, counted.matches);
    assert.ok(matches.length <= counted.matches);
  });

  test('repeats the players of a seed, and has other players with another seed', async () => {
    const { gameKey } = await createTenant({ autoCreate: true });
    const env = { GUILDHALL_GAME_KEY: gameKey };
    const options = '--players 3 --rate 50 --duration 3s --spike off';
    const first = counts((await run(`${options} --seed a`, env)).output);
    assert.equal(first.players, first.newPlayers);
    assert.equal(first.players, 3);
    const second = counts((await run(`${options} --seed a`, env)).output);
    assert.deepEqual([second.players, second.newPlayers], [3, 0]);
    const third = counts((await run(`${options} --seed b`, env)).output);
    assert.deepEqual([third.players, third.newPlayers], [3, 3]);
  });

  test('raises a rate alert and a payload alert with a spike', async () => {
    // A spike that the end of a minute divides, or that is slow, raises no alert. The next one does.
    const command = start('--players 4 --rate 1 --duration 1h --spike 1s');
    const { workspaceId } = await send('GET', `/api/bus_tenants/${tenantId}`);
    await eventually(async () => {
      await sleep(BETWEEN_READS_MS);
      const { items } = await send('GET', `/api/workspaces/${workspaceId}/alerts`);
      const types = items.map((alert: { type: string }) => alert.type);
      return types.includes('payload_spike') && types.includes('rate_spike');
    });
    assert.equal(await command.end('SIGINT'), 0, command.output());
  });

  test('plays until SIGINT, then ends its matches and prints the summary', async () => {
    const { id, gameKey } = await createTenant({ autoCreate: true });
    const command = start('--players 6 --rate 100 --duration 1h --spike off', {
      GUILDHALL_GAME_KEY: gameKey,
    });
    const counted = counts(await runUntilEvents(command, id, 'match'));
    const { events, matches, definitions } = await readAll(id, gameKey);
    assert.equal(events.length, counted.stored);
    assert.equal(counted.ended, counted.matches);
    assert.ok(matches.length > 0);
    for (const match of matches) {
      assert.ok(match.endedAt);
      assert.ok(match.players.length >= 2);
      assert.ok(match.players.every((player: { outcome: string | null }) => player.outcome !== null));
    }
    const used = new Set(events.map((event: { eventKey: string }) => event.eventKey));
    const defined = new Set(definitions.map((definition: { eventKey: string }) => definition.eventKey));
    assert.ok(used.size > 0);
    assert.ok(used.isSubsetOf(defined));
  });

  test('counts the refused events of a tenant without definitions, with the reason', async () => {
    const { id, gameKey } = await createTenant({ autoCreate: false });
    const { code, output } = await run(`--key ${gameKey} --players 6 --rate 100 --duration 8s --spike off`);
    assert.equal(code, 0, output);
    const { stored, refused } = counts(output);
    assert.equal(stored, 0);
    assert.ok(refused > 0, output);
    assert.match(output, /× 422 .*auto-create/);
    assert.equal((await readAll(id, gameKey)).events.length, 0);
  });

  test('stops at once with one sentence if it cannot begin', async () => {
    const wrongKey = await run('--key gh_game_wrong');
    assert.equal(wrongKey.code, 1);
    assert.match(wrongKey.output, /^http\S+ refuses the game key: .*\n$/);
    const noServer = await run(`--key gh_game_wrong --url http://127.0.0.1:${await freePort()}`);
    assert.equal(noServer.code, 1);
    assert.match(noServer.output, /^No server answers at \S+ \(ECONNREFUSED\)\. Start it .*\n$/);
    const noTenant = await run(`--tenant ${crypto.randomUUID()}`);
    assert.equal(noTenant.code, 1);
    assert.match(noTenant.output, /^The database has no active tenant .*\n$/);
    const otherDatabase = await run('', {
      DATABASE_URL: 'postgresql://localhost/none',
      MASTER_KEY: '5'.repeat(64),
    });
    assert.equal(otherDatabase.code, 1);
    assert.match(otherDatabase.output, /^Set a game key with --key or GUILDHALL_GAME_KEY\. .*\n$/);
    const wrongOption = await run('--rate many');
    assert.equal(wrongOption.code, 1);
    assert.match(wrongOption.output, /'--rate <events>' argument 'many' is invalid/);
    const noProvider = await createTenant({ autoCreate: true });
    await send('PUT', `/api/bus_tenants/${noProvider.id}/providers/Mock`, { enabled: false });
    const noSignIn = await run(`--key ${noProvider.gameKey}`);
    assert.equal(noSignIn.code, 1);
    assert.match(noSignIn.output, /The tenant has enabled neither Mock nor EvmWallet\./);
  });

  test('stops if the server goes away', async () => {
    const { gameKey } = await createTenant({ autoCreate: true });
    const command = start('--players 4 --rate 20 --duration 1h --spike off', { GUILDHALL_GAME_KEY: gameKey });
    if (!command.output().includes('play at')) await once(command.child.stdout!, 'data');
    await server.end('SIGTERM');
    assert.equal(await exitOf(command.child), 1, command.output());
    assert.match(command.output(), /does not respond any more/);
  });
});
