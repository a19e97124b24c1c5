import reference from '@scalar/fastify-api-reference';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { ProblemError } from '../core/problem.ts';

/** Serves the API reference of `/openapi.json` as an HTML page at `/docs`. */
export async function serveApiReference(app: FastifyInstance): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onRequest', async ({ protocol, hostname }) => {
      // Scalar builds a URL from these and fails with a 500 if it cannot.
      if (!URL.canParse(`${protocol}://${hostname}`))
        throw new ProblemError('invalid_request', 'The header Host is not a valid host name. Correct it.');
    });
    scope.addHook('onSend', protectPage);
    await scope.register(reference, {
      routePrefix: '/docs',
      configuration: {
        url: '/openapi.json',
        title: 'Guildhall API',
        // The page makes no request to another server.
        withDefaultFonts: false,
        telemetry: false,
        showDeveloperTools: 'never',
        hideClientButton: true,
        agent: { disabled: true },
        mcp: { disabled: true },
      },
    });
  });
}

/**
 * Adds a content security policy. The page runs scripts of this server and its inline script by hash, and sends no
 * request to another server. Inline styles are allowed, because Scalar sets them from its script.
 */
async function protectPage(
  _request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const isPage = String(reply.getHeader('content-type')).startsWith('text/html');
  if (!isPage || typeof payload !== 'string') return payload;
  const hashes = [...payload.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g)].map(
    ([, script = '']) => ` 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  reply.header(
    'content-security-policy',
    `default-src 'none'; script-src 'self'${hashes.join('')}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; ` +
      `font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  return payload;
}
