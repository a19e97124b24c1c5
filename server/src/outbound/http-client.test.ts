import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { after, describe, test } from 'node:test';
import { startNameServer } from '../testing/name-server.ts';
import { openOutboundClient, OutboundError } from './http-client.ts';

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('openOutboundClient', () => {
  const anywhere = openOutboundClient({ publicOnly: false });
  const publicOnly = openOutboundClient({ publicOnly: true });
  after(() => Promise.all([anywhere.close(), publicOnly.close()]));

  test('returns status, headers and text, and does not follow redirects', async () => {
    let asked = 0;
    const url = await serve((_request, response) => {
      asked++;
      response.writeHead(302, { location: '/elsewhere' }).end('gone');
    });
    const answer = await anywhere.send(`${url}/here?x=1`);
    assert.deepEqual([answer.status, answer.headers['location'], answer.text], [302, '/elsewhere', 'gone']);
    assert.equal(asked, 1);
  });

  test('offers HTTP/1.1 only, because a hostile server of HTTP/2 can end the process', async () => {
    const { promise: hello, resolve } = Promise.withResolvers<string>();
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (bytes) => {
        resolve(bytes.toString('latin1'));
        socket.destroy();
      });
    }).listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    after(() => server.close());
    const { port } = server.address() as AddressInfo;
    await assert.rejects(anywhere.send(`https://127.0.0.1:${port}/`), OutboundError);
    // In the list of TLS, a byte with its length precedes each protocol.
    assert.ok((await hello).includes('\x08http/1.1'));
    assert.ok(!(await hello).includes('\x02h2'));
  });

  /** Listens on loopback in IPv4 and IPv6, and counts connections. */
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

  test('with publicOnly, never connects to loopback in any spelling', async () => {
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
      await assert.rejects(publicOnly.send(`http://${host}:${port}/`), OutboundError, host);
    assert.equal(count(), 0);
    // Without publicOnly the same hosts connect. `localhost.` depends on the system resolver.
    const leading = hosts.filter((host) => host !== 'localhost.');
    for (const host of leading) await anywhere.send(`http://${host}:${port}/`);
    assert.equal(count(), leading.length);
  });

  test('with publicOnly, rejects a name that resolves to a private address at any lookup', async () => {
    const { port, count } = await countConnections();
    const names = await startNameServer();
    // The last one is in the public range, but assigned to nobody.
    const [loopback, mapped, open] = ['127.0.0.1', '::ffff:127.0.0.1', '2d00::1'];
    const refused = (name: string) =>
      assert.rejects(publicOnly.send(`http://${name}:${port}/`, { withinMs: 500 }), OutboundError);
    names.answers = [[open], [loopback]];
    for (let attempt = 0; attempt < 4; attempt++) await refused('rebind.example');
    for (const answer of [[loopback], [mapped], ['::1', '10.0.0.1'], [open, loopback, mapped]]) {
      names.answers = [answer];
      await refused(`mixed-${answer.length}.example`);
    }
    assert.ok(names.asked >= 8, `looked up ${names.asked} times`);
    assert.equal(count(), 0);
  });

  test('reads at most readUpTo bytes of a response', async () => {
    const url = await serve((_request, response) => void response.end(`é${'x'.repeat(3 * 2 ** 20)}`));
    assert.equal((await anywhere.send(url, { readUpTo: 4 })).text, 'éxx');
    assert.equal((await anywhere.send(url, { readUpTo: 1 })).text, '');
    const short = await serve((_request, response) => void response.end('short'));
    assert.equal((await anywhere.send(short, { readUpTo: 5 })).text, 'short');
    assert.equal((await anywhere.send(short, { readUpTo: 1000 })).text, 'short');
  });

  test('throws without a response, and for an incomplete or too large response', async () => {
    const half = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('12345', () => response.destroy());
    });
    const endless = await serve((_request, response) => void response.end('x'.repeat(2 ** 20 + 1)));
    await assert.rejects(anywhere.send(half), {
      name: 'OutboundError',
      message: /^The connection was closed before the response was complete, after status 200: http/,
    });
    await assert.rejects(anywhere.send(endless), OutboundError);
    await assert.rejects(anywhere.send('http://127.0.0.1:1/'), OutboundError);
  });

  test('says in words why there is no response', async () => {
    const names = await startNameServer();
    names.failure = 'unknown name';
    const plain = await serve((_request, response) => void response.end('x'));
    const broken = await serve((_request, response) => void response.destroy());
    const silent = await serve(() => {});
    const failures: [url: string, message: RegExp][] = [
      ['https://hooks.example/in', /^The host name was not found \(ENOTFOUND\): https:\/\/hooks\.example$/],
      [broken, /^The connection was closed before the response was complete: http/],
      [silent, /^There was no complete response in time: http/],
      [plain.replace('http:', 'https:'), /^The port does not use TLS: https/],
      ['http://127.0.0.1:1/', /^The connection was refused \(ECONNREFUSED\): http:\/\/127\.0\.0\.1:1$/],
    ];
    for (const [url, message] of failures) {
      const client = url.includes('example') ? publicOnly : anywhere;
      await assert.rejects(client.send(url, { withinMs: url === silent ? 100 : 15_000 }), {
        name: 'OutboundError',
        message,
      });
    }
    await assert.rejects(publicOnly.send('http://10.0.0.1/'), {
      message: '10.0.0.1 is not a public address.',
    });
  });
});
