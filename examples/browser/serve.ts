import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

/** Serves the page and the built client. A real game bundles `@guildhall/client` with its own code. */
const { values } = parseArgs({ options: { port: { type: 'string', default: '8090' } } });
const PAGE = new URL('index.html', import.meta.url);
const CLIENT = new URL('../../sdk/dist/', import.meta.url);

const server = createServer((request, response) => {
  const [path = '/'] = request.url!.split('?');
  const [, module] = /^\/client\/([\w/-]+\.js)$/.exec(path) ?? [];
  if (!module && path !== '/') return void response.writeHead(404).end();
  const type = module ? 'text/javascript' : 'text/html; charset=utf-8';
  readFile(module ? new URL(module, CLIENT) : PAGE).then(
    (bytes) => response.writeHead(200, { 'content-type': type }).end(bytes),
    () => response.writeHead(404).end(),
  );
});
server.listen(Number(values.port), '127.0.0.1', () => {
  const address = server.address() as { port: number };
  console.log(
    `Open http://127.0.0.1:${address.port}/?key=<game key>\nIf Guildhall is not at http://127.0.0.1:8080, add &url=<its address>.`,
  );
});
