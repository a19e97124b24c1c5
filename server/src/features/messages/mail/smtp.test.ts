import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { MailRefusedError, openMailServer } from './smtp.ts';

const mail = { id: 'id', to: 'ada@example.com', subject: 'subject', text: 'text', html: '<p>text</p>' };

/** Starts a server that sends the greeting, then replies to each line with the result of `answer`. */
async function startServer(greeting: string, answer: (line: string) => string) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    if (greeting) socket.write(`${greeting}\r\n`);
    socket.on('data', (line) => {
      const text = answer(String(line));
      if (text) socket.write(`${text}\r\n`);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `smtp://ada:secret@127.0.0.1:${(server.address() as { port: number }).port}`,
    stop() {
      sockets.forEach((socket) => socket.destroy());
      server.close();
    },
  };
}

async function sendAndCatch(
  server: Awaited<ReturnType<typeof startServer>>,
  options: { tls?: 'required' | 'opportunistic'; smtpUrl?: string } = {},
): Promise<MailRefusedError> {
  try {
    const client = await openMailServer({ smtpUrl: server.url, from: 'guild@example.com', ...options });
    await client.send(mail);
  } catch (error) {
    assert.ok(error instanceof MailRefusedError);
    return error;
  } finally {
    server.stop();
  }
  return assert.fail('The mail was sent.');
}

describe('openMailServer', () => {
  test('gives up an attempt at a silent server after 15 seconds, and tries again later', async () => {
    const refusal = await sendAndCatch(await startServer('', () => ''));
    assert.equal(refusal.isFinal, false);
    // The timers of the greeting and of the socket have the same length, and either may end first.
    assert.match(refusal.message, /Greeting never received|Timeout/);
  });

  test('treats a 5xx about the connection or the login as temporary', async () => {
    const busy = await sendAndCatch(await startServer('554 No service here', () => '221 Bye'));
    assert.deepEqual([busy.isFinal, busy.message], [false, '554 No service here']);

    const ehlo = '250-guild\r\n250 AUTH PLAIN';
    const stranger = await startServer('220 guild', (line) =>
      line.startsWith('EHLO') ? ehlo : '535 Wrong password',
    );
    const refusal = await sendAndCatch(stranger);
    assert.equal(refusal.isFinal, false);
    assert.match(refusal.message, /535/);
    assert.doesNotMatch(refusal.message, /secret/);
  });
});

describe('openMailServer with TLS', () => {
  const received: string[] = [];
  /** Starts a real mail server. Its STARTTLS certificate is self-signed. */
  const startMailServer = async (disabledCommands: string[]): Promise<string> => {
    const server = new SMTPServer({
      disabledCommands: ['AUTH', ...disabledCommands],
      onData(stream, session, callback) {
        received.push(session.secure ? 'over TLS' : 'in plain text');
        stream.on('end', callback).resume();
      },
    });
    server.on('error', () => {});
    const listening = server.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    after(() => new Promise<void>((resolve) => server.close(() => resolve())));
    return `smtp://127.0.0.1:${(listening.address() as { port: number }).port}`;
  };
  const from = 'guild@example.com';

  test('requires TLS for a remote server and sends nothing without it', async () => {
    const commands: string[] = [];
    const server = await startServer('220 guild', (line) => {
      commands.push(line.trim());
      return line.startsWith('EHLO') ? '250 guild' : '502 Not here';
    });
    // An address of this machine that is not recognised as local.
    const smtpUrl = server.url.replace('127.0.0.1', '[::ffff:127.0.0.1]');
    const refusal = await sendAndCatch(server, { smtpUrl });
    assert.equal(refusal.isFinal, false);
    assert.ok(commands.includes('STARTTLS'), String(commands));
    assert.ok(!commands.some((command) => /^(AUTH|MAIL)/.test(command)), String(commands));
  });

  test('requires TLS for a local server if configured', async () => {
    const smtpUrl = await startMailServer(['STARTTLS']);
    const strict = await openMailServer({ smtpUrl, from, tls: 'required' });
    await assert.rejects(strict.send(mail), MailRefusedError);
    assert.deepEqual(received, []);
    await (await openMailServer({ smtpUrl, from })).send(mail);
    assert.deepEqual(received.splice(0), ['in plain text'], 'a local relay works');
  });

  test('rejects an invalid certificate', async () => {
    const smtpUrl = await startMailServer([]);
    for (const tls of ['required', 'opportunistic'] as const) {
      const client = await openMailServer({ smtpUrl, from, tls });
      await assert.rejects(client.send(mail), /certificate/i);
    }
    assert.deepEqual(received, []);
  });
});
