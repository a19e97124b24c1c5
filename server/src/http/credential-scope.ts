import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { problems } from './schemas.ts';

/** How the callers of a group of routes prove who they are. */
export interface Credential {
  /** The OpenAPI security requirement: alternatives, each naming the schemes that it needs together. */
  security: Record<string, string[]>[];
  /** The error statuses beyond 401 that it can answer with. */
  statuses?: number[];
  /** Verifies the request and sets its caller, or throws a 401 problem. */
  authenticate(request: FastifyRequest): Promise<void> | void;
}

/**
 * Registers routes behind a credential. It is checked before the body is read, and it documents itself: every route
 * inside gets the security requirement and the status 401 in its OpenAPI entry.
 */
export async function withCredential(app: FastifyInstance, credential: Credential, routes: FastifyPluginAsync[]): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      const schema = (route.schema ??= {});
      schema.security ??= credential.security;
      schema.response = { ...problems(401, ...(credential.statuses ?? [])), ...(schema.response as object) };
    });
    scope.addHook('onRequest', async (request) => credential.authenticate(request));
    for (const plugin of routes) await scope.register(plugin);
  });
}

/** The token of an `Authorization: Bearer` header, or undefined. */
export function bearerToken(request: FastifyRequest): string | undefined {
  const match = /^Bearer +([\w.~+/-]+=*)$/i.exec(request.headers.authorization ?? '');
  return match?.[1];
}
