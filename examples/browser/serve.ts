import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

const PAGE = new URL('index.html', import.meta.url);
const CLIENT = new URL('../../sdk/dist/', import.meta.url);

/** Serves the page and the built client. A real game bundles `@guildhall/client` with its own code. */
function serve(): void {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '8090' } } });
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
  server.on('error', (error) => {
    console.error(`${error.message}. Set another port with --port.`);
    process.exitCode = 1;
  });
  server.listen(Number(values.port), '127.0.0.1', () => {
    const address = server.address() as { port: number };
    console.log(
      `Open http://127.0.0.1:${address.port}/?key=<game key>\nIf Guildhall is not at http://127.0.0.1:8080, add &url=<its address>.`,
    );
  });
}

try {
  serve();
} catch (error) {
  // An unknown option, or a port that is no number.
  console.error((error as Error).message);
  process.exitCode = 2;
}
