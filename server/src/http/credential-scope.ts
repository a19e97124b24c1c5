import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Role } from '../core/role.ts';
import { countsRequests } from './rate-limit.ts';
import { problems } from './schemas.ts';

/** How the callers of a group of routes prove who they are. */
export interface Credential {
  /** The OpenAPI security requirement: alternatives, each naming the schemes that it needs together. */
  security: Record<string, string[]>[];
  /**
   * Verifies the request and sets its caller, or throws a 401 problem, or a 429 for a key that has used up a rate limit. Runs
   * before the body is read.
   */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void> | void;
  /** Whether the verified caller may use these routes at all: throws 403. Runs after the request is validated. */
  admit?(request: FastifyRequest): Promise<void>;
  /**
   * Whether the verified caller may do what the route does: throws 403 or 404. Runs after the request is validated. With
   * it, every route about one workspace or tenant must declare the role that it needs.
   */
  authorize?(request: FastifyRequest, role: Role): Promise<void>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The least role, in the workspace or tenant of the path, that the route needs. */
    role?: Role;
    /** How a request on a key is counted: a write in the transaction that writes it, a read beside it. */
    usage?: 'read' | 'write';
  }
}

/**
 * Registers routes behind a credential. It is checked before the body is read, and it documents itself: every route
 * inside gets the security requirement and the status 401, and 429 where it takes a key, in its OpenAPI entry.
 */
export async function withCredential(
  app: FastifyInstance,
  credential: Credential,
  routes: FastifyPluginAsyncTypebox[],
): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      const schema = (route.schema ??= {});
      const role = credential.authorize && requiredRole(route);
      schema.security ??= credential.security;
      const limited = countsRequests(credential.security);
      if (limited) requireUsage(route);
      const refusals = [
        401,
        ...(credential.admit || role ? [403] : []),
        ...(role ? [404] : []),
        ...(limited ? [429] : []),
      ];
      schema.response = { ...problems(...refusals), ...(schema.response as object) };
      if (role) Object.assign(schema, { 'x-required-role': role });
    });
    scope.addHook('onRequest', async (request, reply) => credential.authenticate(request, reply));
    scope.addHook('preHandler', async (request) => {
      await credential.admit?.(request);
      const { role } = request.routeOptions.config;
      if (role) await credential.authorize?.(request, role);
    });
    for (const plugin of routes) await scope.register(plugin);
  });
}

function requiredRole({ url, config }: RouteOptions): Role | undefined {
  const role = config?.role;
  if (!role && /:(tenantId|workspaceId)/.test(url))
    throw new Error(`${url} does not say which role it needs (config.role).`);
  return role;
}

function requireUsage({ url, config }: RouteOptions): void {
  if (!config?.usage)
    throw new Error(
      `${url} does not say whether it reads or writes, which is how it is billed (config.usage).`,
    );
}

/** The token of an `Authorization: Bearer` header, or undefined. */
export function bearerToken(request: FastifyRequest): string | undefined {
  const match = /^Bearer +([\w.~+/-]+=*)$/i.exec(request.headers.authorization ?? '');
  return match?.[1];
}
