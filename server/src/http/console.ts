import serveStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BUILT = fileURLToPath(new URL('../../../console/dist', import.meta.url));

/** The placeholder of the build for the nonce of a response. */
const NONCE = /__CSP_NONCE__/g;

/** Paths of the API. Their 404 is a problem document, even for a browser. */
const API_PATH = /^\/(api|avatars|docs|health|metrics|openapi\.json|\.well-known|assets)(\/|$)/;

const NOT_BUILT =
  'The console is not built. Run `npm run build`, then start the server again. The API answers without it: see /docs.\n';

/**
 * Serves the built console. Its routes are resolved in the browser, so each path that a browser navigates to, and that is
 * not of the API, gets the same page. Returns the function that sends it.
 */
export async function serveConsole(
  app: FastifyInstance,
  folder = BUILT,
): Promise<(reply: FastifyReply) => FastifyReply> {
  const index = join(folder, 'index.html');
  const page = existsSync(index) ? readFileSync(index, 'utf8') : undefined;
  if (page !== undefined)
    await app.register(serveStatic, {
      root: folder,
      wildcard: false,
      index: false,
      preCompressed: true,
      // The names of assets contain a hash of their content.
      setHeaders: (reply, path) => {
        reply.header(
          'cache-control',
          path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
        );
        reply.header('x-content-type-options', 'nosniff');
      },
      globIgnore: ['index.html', '.vite/**', '**/*.br', '**/*.gz'],
      schemaHide: true,
    });

  const sendPage = (reply: FastifyReply): FastifyReply => {
    reply.header('cache-control', 'no-cache');
    if (page === undefined) return reply.code(200).type('text/plain; charset=utf-8').send(NOT_BUILT);
    const nonce = randomBytes(16).toString('base64');
    return reply
      .code(200)
      .header('content-security-policy', contentSecurityPolicy(nonce))
      .header('cross-origin-opener-policy', 'same-origin')
      .type('text/html; charset=utf-8')
      .send(page.replace(NONCE, nonce));
  };
  app.get('/', { schema: { hide: true } }, (_request, reply) => sendPage(reply));
  return sendPage;
}

/** Whether a browser navigates to a page of the console. Its scripts and images ask for other types. */
export function isPage({ method, url, headers }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  const mode = headers['sec-fetch-mode'];
  if (mode !== undefined && mode !== 'navigate') return false;
  return (headers.accept ?? '').includes('text/html') && !API_PATH.test(url.split('?', 1)[0]!);
}

/**
 * Scripts come from this server alone. Style elements need the nonce: the component library writes its theme and the
 * scroll lock of dialogs in them. `style` attributes set by scripts are no part of this policy.
 */
function contentSecurityPolicy(nonce: string): string {
  return (
    `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
    `font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`
  );
}
