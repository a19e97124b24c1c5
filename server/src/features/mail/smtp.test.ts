import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { MailRefused, openMailServer } from './smtp.ts';

const mail = { id: 'id', to: 'ada@example.com', subject: 'subject', text: 'text', html: '<p>text</p>' };

/** A server that answers a new connection, and then every line, as it is told. */
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

async function refusalBy(server: Awaited<ReturnType<typeof startServer>>): Promise<MailRefused> {
  try {
    await openMailServer({ smtpUrl: server.url, from: 'guild@example.com' }).send(mail);
  } catch (error) {
    assert.ok(error instanceof MailRefused);
    return error;
  } finally {
    server.stop();
  }
  return assert.fail('It was sent.');
}

test('a server that says nothing is left after 15 seconds, for another attempt', async () => {
  const refusal = await refusalBy(await startServer('', () => ''));
  assert.equal(refusal.isFinal, false);
  assert.match(refusal.message, /Greeting never received/);
});

test('a 5xx that is not about the mail is not final', async () => {
  const busy = await refusalBy(await startServer('554 No service here', () => '221 Bye'));
  assert.deepEqual([busy.isFinal, busy.message], [false, '554 No service here']);

  const ehlo = '250-guild\r\n250 AUTH PLAIN';
  const stranger = await startServer('220 guild', (line) =>
    line.startsWith('EHLO') ? ehlo : '535 Wrong password',
  );
  const refusal = await refusalBy(stranger);
  assert.equal(refusal.isFinal, false);
  assert.match(refusal.message, /535/);
  assert.doesNotMatch(refusal.message, /secret/);
});
