import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../server/src/testing/eventually.ts';
import { startTestApp } from '../../server/src/testing/test-app.ts';
import { PAGE_WAIT_MS, startBrowser } from './browser.ts';
import { arrangeGame, countEvents } from './game.ts';

const PROGRAM = fileURLToPath(new URL('../../examples/browser/serve.ts', import.meta.url));

test('examples/browser signs in, sends events, and knows the player after a reload', async () => {
  const server = spawn(process.execPath, [PROGRAM, '--port', '0']);
  after(() => server.kill());
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  const [origin] = /http:\/\/[\d.:]+/.exec(line.toString())!;
  const app = await startTestApp({ env: { CORS_ORIGINS: origin } });
  const { gameKey, tenantId } = await arrangeGame(app);
  // The quick start signs in ada before.
  const login = { provider: 'Mock', token: 'mock:ada:secret' };
  assert.equal((await app.http.post('/api/player-auth/login', login, { gameKey })).status, 200);

  const page = await (await startBrowser()).newPage();
  page.setDefaultTimeout(PAGE_WAIT_MS);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(`${origin}/?url=${encodeURIComponent(app.url)}&key=${gameKey}`);
  await page.click('#sign-in');
  await page.click('#jump:enabled');
  await page.click('#jump');
  await page.getByText('2 jumps stored, 0 waiting.').waitFor();
  await eventually(async () => (await countEvents(app.owner, tenantId)).rows === 2);
  await page.reload();
  await page.getByText(/^Signed in as /).waitFor();
  assert.deepEqual(problems, []);

  await page.goto(`${origin}/?url=http://127.0.0.1:9&key=${gameKey}`);
  await page.click('#sign-in');
  await page
    .getByText(
      'The server cannot be reached at http://127.0.0.1:9, or its answer is incomplete. If it runs, check that its setting ' +
        `CORS_ORIGINS has ${origin}, the origin of this page. To use another address, add ?url= to the address of this page.`,
      { exact: true },
    )
    .waitFor();
});
