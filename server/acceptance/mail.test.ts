import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { text } from 'node:stream/consumers';
import { callbackify } from 'node:util';
import { SMTPServer } from 'smtp-server';
import { arrangeTenant } from './arrange.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { accepted } from './http.ts';
import { dataFolder, startServer } from './server-process.ts';

const folder = dataFolder();
after(() => folder.remove());

test('sends a waiting mail once after kill -9 of the server', async () => {
  const port = await freePort();
  const options = { dataDir: folder.path, env: { SMTP_URL: `smtp://127.0.0.1:${port}` } };
  const first = await startServer(options);
  const { gameKey } = await arrangeTenant(first.url, 'EmailOneTimeCode');
  const body = { email: 'ada@example.com' };
  await accepted('POST', `${first.url}/api/player-auth/email/otc`, { gameKey, body }, 200);
  await first.end('SIGKILL');

  const mails: string[] = [];
  const mailServer = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, _session, callback) {
      callbackify(async () => {
        const mail = await text(stream);
        // The studio's own account also gets a mail, to verify its address.
        if (/^To: ada@example\.com/m.test(mail)) mails.push(mail);
      })(callback);
    },
  });
  await once(mailServer.listen(port, '127.0.0.1'), 'listening');
  const second = await startServer(options);
  await eventually(() => mails.length > 0);
  await second.end('SIGTERM');
  mailServer.close();
  assert.equal(mails.length, 1);
});

test('warns that mails from localhost are refused, until MAIL_FROM is set', async () => {
  const started = async (env: Record<string, string>): Promise<string> => {
    const smtp = { LOG_LEVEL: 'warn', SMTP_URL: 'smtp://127.0.0.1:1' };
    const server = await startServer({ dataDir: folder.path, env: { ...smtp, ...env } });
    assert.equal(await server.end('SIGTERM'), 0);
    return server.output();
  };
  assert.match(await started({}), /"msg":"MAIL_FROM is Guildhall <guildhall@localhost>, /);
  assert.doesNotMatch(await started({ MAIL_FROM: 'post@guild.example' }), /MAIL_FROM/);
});
