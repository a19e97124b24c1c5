import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { eventually } from './eventually.ts';
import { startExternalPostgres, type ExternalPostgres } from './external-postgres.ts';
import { dataFolder, exitOf, spawnCommand, startServer } from './server-process.ts';

const exec = promisify(execFile);

/** The shell blocks of a section of docs/deployment.md. */
function blocksOf(section: string): string[] {
  const page = readFileSync(new URL('../../docs/deployment.md', import.meta.url), 'utf8');
  const text = page.split(/^## /m).find((part) => part.startsWith(section)) ?? '';
  return [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);
}

/** Reads the code of the mail from the outbox, as an operator without a mail server does. */
const READ_CODE = `
for attempt in $(seq 450); do
  CODE=$(as_admin $URL/api/admin/outbox | grep -oE '[0-9]{6}\\\\n' | grep -oE '[0-9]{6}') && break
  sleep 0.2
done
`;

describe('docs/deployment.md', () => {
  const folder = dataFolder();
  let postgres: ExternalPostgres;
  before(async () => {
    postgres = await startExternalPostgres({ fsync: 'on' });
    await postgres.run(
      'CREATE ROLE guildhall LOGIN CREATEROLE PASSWORD $PASSWORD',
      'CREATE DATABASE guildhall OWNER guildhall',
    );
  });
  after(() => {
    postgres.stop();
    folder.remove();
  });

  test('leads from an empty database to the first event', async () => {
    const env = {
      DATABASE_URL: postgres.url('guildhall', 'guildhall'),
      MASTER_KEY: 'ab'.repeat(32),
      NODE_ENV: 'production',
      LOG_LEVEL: 'warn',
    };
    const server = await startServer({ dataDir: folder.path, env });
    await eventually(() => server.output().includes('Guildhall answers'));
    assert.match(
      server.output(),
      /This deployment has no platform administrator\. Create one: [^"]+ bootstrap/,
    );
    const bootstrap = spawnCommand('bootstrap --email you@studio.example', { dataDir: folder.path, env });
    assert.equal(await exitOf(bootstrap.child), 0, bootstrap.output());
    const password = bootstrap.output().trim().split(' ').at(-1)!;

    const [settings = '', studio = '', request = '', play = ''] = blocksOf('From an empty database');
    const given = settings
      .replace('https://play.example', server.url)
      .replace('ADMIN_PASSWORD=…', `ADMIN_PASSWORD=${password}`);
    const script = [given, studio, request, READ_CODE, play.replace('CODE=123456\n', '')];
    assert.ok(script.every((part) => part !== '') && play.includes('CODE=123456'));
    const { stdout } = await exec('bash', ['-c', script.join('\n')]);
    assert.match(stdout, /"records":\[{"index":0,"eventRecordId"/);

    assert.equal(await server.end('SIGTERM'), 0);
    const next = await startServer({ dataDir: folder.path, env });
    await eventually(() => next.output().includes('Guildhall answers'));
    assert.doesNotMatch(next.output(), /has no platform administrator/);
    assert.equal(await next.end('SIGTERM'), 0);
  });
});
