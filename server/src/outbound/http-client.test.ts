import assert from 'node:assert/strict';
import dns, { type LookupAddress } from 'node:dns';
import { createServer, type RequestListener } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { openOutboundClient, OutboundFailure } from './http-client.ts';

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type LookupAll = (error: null, addresses: LookupAddress[]) => void;

const anywhere = openOutboundClient({ publicOnly: false });
const walled = openOutboundClient({ publicOnly: true });
after(() => Promise.all([anywhere.close(), walled.close()]));

test('an answer comes with status, headers and text, and a redirect is not followed', async () => {
  let asked = 0;
  const url = await serve((_request, response) => {
    asked++;
    response.writeHead(302, { location: '/elsewhere' }).end('gone');
  });
  const answer = await anywhere.send(`${url}/here?x=1`);
  assert.deepEqual([answer.status, answer.headers['location'], answer.text], [302, '/elsewhere', 'gone']);
  assert.equal(asked, 1);
});

/** A port of the loopback, in IPv4 and IPv6, that counts who connects. */
async function countConnections() {
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections++;
    socket.on('error', () => {});
    socket.end('HTTP/1.1 204 No Content\r\n\r\n');
  }).listen(0, '::');
  await new Promise((resolve) => server.once('listening', resolve));
  after(() => server.close());
  return { port: (server.address() as AddressInfo).port, count: () => connections };
}

test('a server behind the wall is never reached, whatever it is called', async () => {
  const { port, count } = await countConnections();
  const hosts = [
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.2',
    '0.0.0.0',
    '0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    'localhost',
    'localhost.',
    '１２７.0.0.1',
    '127。0。0。1',
    '127%2e0%2e0%2e1',
    '8.8.8.8@127.0.0.1',
  ];
  for (const host of hosts)
    await assert.rejects(walled.send(`http://${host}:${port}/`), OutboundFailure, host);
  assert.equal(count(), 0);
  // The same names do lead there; that with a dot where the system's resolver knows it.
  const leading = hosts.filter((host) => host !== 'localhost.');
  for (const host of leading) await anywhere.send(`http://${host}:${port}/`);
  assert.equal(count(), leading.length);
});

test('a name that is public when it is looked at and private when it is dialled leads nowhere', async (context) => {
  const { port, count } = await countConnections();
  const loopback = { address: '127.0.0.1', family: 4 };
  const mapped = { address: '::ffff:127.0.0.1', family: 6 };
  /** What the name server says, one answer after the other; the last one for good. */
  let answers: LookupAddress[][] = [];
  let asked = 0;
  const lookup = context.mock.method(
    dns,
    'lookup',
    (_name: string, _options: object, callback: LookupAll) => {
      asked++;
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      process.nextTick(callback, null, answer);
    },
  );
  syncBuiltinESMExports();
  try {
    answers = [[{ address: '1.1.1.1', family: 4 }], [loopback]];
    for (let attempt = 0; attempt < 4; attempt++)
      await assert.rejects(walled.send(`http://rebind.example:${port}/`, { withinMs: 500 }), OutboundFailure);
    for (const answer of [[loopback], [mapped], [{ address: '1.1.1.1', family: 4 }, loopback, mapped]]) {
      answers = [answer];
      await assert.rejects(walled.send(`http://mixed.example:${port}/`, { withinMs: 500 }), OutboundFailure);
    }
    assert.equal(asked, 7, 'each connection looks the name up');
    assert.equal(count(), 0);
    answers = [[loopback]];
    assert.equal((await anywhere.send(`http://rebind.example:${port}/`)).status, 204);
  } finally {
    lookup.mock.restore();
    syncBuiltinESMExports();
  }
});

test('no more of an answer is read than was asked for', async () => {
  const url = await serve((_request, response) => void response.end(`é${'x'.repeat(3 * 2 ** 20)}`));
  assert.equal((await anywhere.send(url, { readUpTo: 4 })).text, 'éxx');
  assert.equal((await anywhere.send(url, { readUpTo: 1 })).text, '');
  const short = await serve((_request, response) => void response.end('short'));
  assert.equal((await anywhere.send(short, { readUpTo: 5 })).text, 'short');
  assert.equal((await anywhere.send(short, { readUpTo: 1000 })).text, 'short');
});

test('no answer, half an answer and too much of one are failures', async () => {
  const half = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': '10' }).write('12345');
    response.destroy();
  });
  const endless = await serve((_request, response) => void response.end('x'.repeat(2 ** 20 + 1)));
  await assert.rejects(anywhere.send(half), OutboundFailure);
  await assert.rejects(anywhere.send(endless), OutboundFailure);
  await assert.rejects(anywhere.send('http://127.0.0.1:1/'), OutboundFailure);
});
