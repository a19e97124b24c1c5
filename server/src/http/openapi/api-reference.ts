import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Fastify from 'fastify';
import { createHash } from 'node:crypto';
import { ProblemError } from '../../core/problem.ts';
import { createCompressedAsset, type CompressedAsset } from '../compressed-asset.ts';

/** Credentials that the page fills in. */
interface ReferenceCredentials {
  tenantId: string;
  gameKey: string;
  apiKey: string;
}

/** Returns the credentials for the holder of a token. Undefined if the token is wrong or there are none. */
export type FindReferenceCredentials = (token: string) => ReferenceCredentials | undefined;

interface ReferenceOptions {
  /** Returns the OpenAPI document, with the tenant of the credentials in its examples. */
  documentFor(credentials: ReferenceCredentials): string;
  findCredentials: FindReferenceCredentials;
  /** The tenant of the examples of the document. */
  exampleTenantId: string;
}

/** The file name contains the hash of the content, so that browsers never ask again. */
const FOREVER = 'public, max-age=31536000, immutable';

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f3a5f"/>
<path fill="#fff" d="M16 5 5 12v2h22v-2zM7 16h3v8H7zm7.500 0h3v8h-3zM22 16h3v8h-3zM5 25h22v2H5z"/></svg>`;

/** Serves the API reference of `/openapi.json` as an HTML page at `/docs/`. */
export async function serveApiReference(
  app: FastifyInstance,
  { documentFor, findCredentials, exampleTenantId }: ReferenceOptions,
): Promise<void> {
  const icon = createCompressedAsset(Buffer.from(ICON), 'image/svg+xml', 'public, max-age=86400');
  let script: Promise<CompressedAsset> | undefined;
  const hidden = { schema: { hide: true } };
  const credentialsOf = ({ query }: FastifyRequest): [string, ReferenceCredentials] | undefined => {
    const { demo } = query as { demo?: unknown };
    const credentials = typeof demo === 'string' ? findCredentials(demo) : undefined;
    return credentials && [demo as string, credentials];
  };

  app.get('/docs', hidden, async (_request, reply) => reply.redirect('/docs/', 301));

  app.get('/docs/', hidden, async (request, reply) => {
    script ??= openScript();
    return sendPage(reply, (await script).hash, exampleTenantId, credentialsOf(request));
  });

  app.get('/docs/icon.svg', hidden, async (request, reply) => icon.send(request, reply));

  app.get('/docs/openapi.json', hidden, async (request, reply) => {
    const [, credentials] = credentialsOf(request) ?? [];
    if (!credentials) throw new ProblemError('not_found');
    return reply.header('cache-control', 'no-store').type('application/json').send(documentFor(credentials));
  });

  app.get('/docs/:file', hidden, async (request, reply) => {
    const loaded = await (script ??= openScript());
    const { file } = request.params as { file: string };
    if (file !== `scalar.${loaded.hash}.js`) throw new ProblemError('not_found');
    return loaded.send(request, reply);
  });
}

/** Reads the script of Scalar at the first request. Its package offers the script only as a route of its plugin. */
async function openScript(): Promise<CompressedAsset> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const source = Fastify();
  await source.register(reference, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { rawPayload } = await source.inject('/docs/js/scalar.js');
  await source.close();
  return createCompressedAsset(rawPayload, 'text/javascript; charset=utf-8', FOREVER);
}

/**
 * Sends the page with a content security policy. The page runs scripts of this server and its inline script by hash, and
 * sends no request to another server. Inline styles are allowed, because Scalar sets them from its script.
 */
function sendPage(
  reply: FastifyReply,
  scriptHash: string,
  exampleTenantId: string,
  demo: [token: string, ReferenceCredentials] | undefined,
): FastifyReply {
  const start = startScript(exampleTenantId, demo);
  const hash = createHash('sha256').update(start).digest('base64');
  return reply
    .headers({
      'cache-control': demo ? 'no-store' : 'no-cache',
      'referrer-policy': 'no-referrer',
      // As on the pages of the console: a console that opens this page can reach it, and pages of other origins cannot.
      'cross-origin-opener-policy': 'same-origin',
      'content-security-policy':
        `default-src 'none'; script-src 'self' 'sha256-${hash}'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; ` +
        `font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    })
    .type('text/html; charset=utf-8').send(`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Guildhall API</title>
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="/docs/icon.svg" type="image/svg+xml" />
  </head>
  <body>
    <div id="app"></div>
    <script src="/docs/scalar.${scriptHash}.js"></script>
    <script>${start}</script>
  </body>
</html>
`);
}

/** Requests go to the origin of the page, because the content security policy allows no other. */
function startScript(
  exampleTenantId: string,
  demo: [token: string, ReferenceCredentials] | undefined,
): string {
  const [token, credentials] = demo ?? [];
  const configuration = {
    url: demo ? `/docs/openapi.json?demo=${token}` : '/openapi.json',
    withDefaultFonts: false,
    telemetry: false,
    showDeveloperTools: 'never',
    hideClientButton: true,
    agent: { disabled: true },
    mcp: { disabled: true },
    ...(credentials && {
      authentication: {
        preferredSecurityScheme: 'gameKey',
        securitySchemes: {
          gameKey: { value: credentials.gameKey },
          apiKey: { value: credentials.apiKey },
        },
      },
    }),
  };
  const json = JSON.stringify(configuration).replaceAll('<', String.raw`\u003c`);
  const start = `Scalar.createApiReference('#app', { ...${json}, servers: [{ url: location.origin }], ...filled });`;
  return demo
    ? `const filled = {}; ${start}`
    : `${fillFromOpener(exampleTenantId)}.then((filled) => { ${start} });`;
}

/** How long the page waits for the tab that opened it. Only a console answers: at once that it will, and then with the values. */
const OPENER_MS = 10_000;
const VALUES_MS = 30_000;

/**
 * Asks the console that opened the page for its game and keys (console/src/app/api-reference.ts). They arrive as a message, so they
 * are in no URL, history or storage. A message of another origin or window is ignored, and so is a text of another form.
 */
function fillFromOpener(exampleTenantId: string): string {
  return `(async () => {
  const given = await new Promise((resolve) => {
    if (!opener || opener === self) return resolve();
    let timer = setTimeout(resolve, ${OPENER_MS});
    addEventListener('message', ({ origin, source, data }) => {
      if (origin !== location.origin || source !== opener) return;
      if (data?.type === 'guildhall-reference') resolve(data);
      if (data?.type !== 'guildhall-reference-soon') return;
      clearTimeout(timer);
      timer = setTimeout(resolve, ${VALUES_MS});
    });
    opener.postMessage({ type: 'guildhall-reference-ready' }, location.origin);
  });
  if (!given || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(given.tenantId)) return {};
  const keyOf = (kind) => ({ value: new RegExp('^gh_' + kind + '_[0-9a-z]{1,128}$').test(given[kind + 'Key']) ? given[kind + 'Key'] : '' });
  const content = (await (await fetch('/openapi.json')).text()).replaceAll('${exampleTenantId}', given.tenantId);
  return {
    url: undefined,
    content,
    authentication: { preferredSecurityScheme: 'gameKey', securitySchemes: { gameKey: keyOf('game'), apiKey: keyOf('api') } },
  };
})().catch(() => ({}))`;
}
