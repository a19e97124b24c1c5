import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { childrenOf } from './server-process.ts';

/** The configuration that docs/deployment.md recommends. */
const CONFIGURATION = new URL('../../deploy/nginx/guildhall.conf', import.meta.url);

export interface Nginx {
  url: string;
  /** Sends no requests to these servers, and to all others. Returns when running requests have ended. */
  takeOut(...urls: string[]): Promise<void>;
  stop(): Promise<void>;
}

/** Starts nginx with the recommended configuration in front of servers, without TLS. */
export async function startNginx(servers: string[]): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'guildhall-nginx-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  const write = (out: string[]): void => writeFileSync(file, configuration(folder, port, servers, out));
  write([]);
  const nginx = spawn('nginx', ['-p', folder, '-c', file, '-e', join(folder, 'error.log')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  nginx.stderr.on('data', (text) => (output += text));
  const url = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(`${url}/health/live`).then(
      ({ ok }) => ok,
      () => false,
    );
  await eventually(async () => {
    if (nginx.exitCode !== null) throw new Error(`nginx ended: ${output}`);
    return answers();
  });
  return {
    url,
    async takeOut(...urls) {
      const old = childrenOf(nginx.pid!);
      write(urls);
      nginx.kill('SIGHUP');
      // The old processes of nginx end with their last request.
      await eventually(() => {
        const current = childrenOf(nginx.pid!);
        return current.length > 0 && !current.some((pid) => old.includes(pid));
      });
    },
    async stop() {
      if (nginx.exitCode === null) {
        nginx.kill('SIGTERM');
        await once(nginx, 'exit');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configuration(folder: string, port: number, servers: string[], out: string[]): string {
  const [, upstream = '', rest = ''] = /^([^]*?\n}\n)([^]*)$/.exec(readFileSync(CONFIGURATION, 'utf8'))!;
  const [line = ''] = /^ {2}server node-1:8080.*;$/m.exec(upstream) ?? [];
  const nodes = servers.map((url) =>
    line.replace('node-1:8080', new URL(url).host).replace(';', out.includes(url) ? ' down;' : ';'),
  );
  const main = rest
    // The first server redirects to TLS.
    .replace(/^server \{[^]*?^\}\n/m, '')
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
    .replace(/^ {2}(listen \[::\]|ssl_|add_header Strict).*\n/gm, '');
  return `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 512; }
http {
  access_log off;
  client_body_temp_path ${folder}/bodies;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
${upstream.replace(/( {2}server node-\d:8080.*\n)+/, `${nodes.join('\n')}\n`)}
${main}
}
`;
}
