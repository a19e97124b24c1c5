import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { after, test } from 'node:test';
import type { AddressInfo } from 'node:net';
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

test('a server behind the wall is never reached, whether it is named by address or by name', async () => {
  let asked = 0;
  const url = await serve((_request, response) => {
    asked++;
    response.end();
  });
  const { port } = new URL(url);
  for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', 'localhost'])
    await assert.rejects(walled.send(`http://${host}:${port}/`), OutboundFailure, host);
  assert.equal(asked, 0);
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
