import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Role } from '../../core/role.ts';
import type { CountChange } from '../traffic/change-limit.ts';
import { limitNetwork, type RateLimiter } from '../traffic/rate-limit.ts';
import { problems } from '../schemas.ts';
import { countHeader } from '../request-context.ts';

/** How the callers of a group of routes authenticate. */
export interface Credential {
  /** The OpenAPI security requirement: a list of alternatives. Each names the schemes that are needed together. */
  security: Record<string, string[]>[];
  /**
   * Verifies the request and sets its caller. Throws a 401 problem, or 429 if the caller has reached a rate limit. Runs
   * before the body is read.
   */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void> | void;
  /** Checks whether the caller may use these routes at all. Throws 403. Runs after validation. */
  admit?(request: FastifyRequest): Promise<void>;
  /**
   * Checks whether the caller may use this route. Throws 403 or 404. Runs after validation. If it is set, every route
   * with a workspace or tenant in its path must declare a role.
   */
  authorize?(request: FastifyRequest, role: Role): Promise<void>;
}

/** Verifies the keys and tokens of a request again, without counting it. Throws a 401 problem. */
export type Confirm = (request: FastifyRequest) => Promise<void>;

interface CredentialServices {
  rateLimits: RateLimiter;
  confirm: Confirm;
  countChange: CountChange;
}

/** A credential that was verified this long ago is verified again before the request takes effect. */
const CONFIRM_AFTER_MS = 1000;

declare module 'fastify' {
  interface FastifyRequest {
    /** When the credential was verified, as `performance.now()`. */
    verifiedAt: number;
    /**
     * Checks whether the caller may use the route. Runs after validation. If a handler reads the body itself, it calls this again
     * afterwards, because a body can take 2 minutes to arrive. Throws 401, 403 and 404.
     */
    admitCaller(): Promise<void>;
  }
  interface FastifyContextConfig {
    /** The lowest role in the workspace or tenant of the path that the route allows. */
    role?: Role;
    /** How a request on a key is billed. A write is charged in its own transaction, a read after it. */
    usage?: 'read' | 'write';
    /** A write that a hard stop does not refuse, because it ends sessions. It is charged. */
    passesHardStop?: boolean;
    /** The use case checks the proof of a player's identity itself. So a portal session without a proof reaches it. */
    checksProof?: boolean;
  }
}

/**
 * Registers routes that need a credential. It is checked before the body is read. Each route gets the security
 * requirement and the statuses 401 and 429 in its OpenAPI entry.
 */
export async function withCredential(
  app: FastifyInstance,
  credential: Credential,
  { rateLimits, confirm, countChange }: CredentialServices,
  routes: FastifyPluginAsyncTypebox[],
): Promise<void> {
  const keyHeaders = keyHeadersOf(credential);
  await app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      const schema = (route.schema ??= {});
      const role = credential.authorize && requiredRole(route);
      schema.security ??= credential.security;
      if (keyHeaders.length > 0) requireUsage(route);
      const refusals = [401, ...(credential.admit || role ? [403] : []), ...(role ? [404] : []), 429];
      schema.response = { ...problems(...refusals), ...(schema.response as object) };
      if (role) Object.assign(schema, { 'x-required-role': role });
    });
    scope.addHook('onRequest', async (request, reply) => {
      // A wrong token is counted too, so the network comes before the credential.
      if (keyHeaders.every((header) => request.headers[header] === undefined))
        await limitNetwork(request, reply, rateLimits);
      await credential.authenticate(request, reply);
      request.verifiedAt = performance.now();
    });
    scope.decorateRequest('verifiedAt', 0);
    scope.decorateRequest('admitCaller', async function (this: FastifyRequest) {
      if (performance.now() - this.verifiedAt > CONFIRM_AFTER_MS) await confirm(this);
      await credential.admit?.(this);
      const { role } = this.routeOptions.config;
      if (role) await credential.authorize?.(this, role);
    });
    scope.addHook('preHandler', async (request) => {
      await request.admitCaller();
      await countChange(request);
    });
    for (const plugin of routes) await scope.register(plugin);
  });
}

/** Registers routes that are open to anyone. Their requests are counted for each network. */
export async function withoutCredential(
  app: FastifyInstance,
  rateLimits: RateLimiter,
  routes: FastifyPluginAsyncTypebox[],
): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onRoute', ({ schema, config }) => {
      if (schema && config?.cost !== 0)
        schema.response = { ...problems(429), ...(schema.response as object) };
    });
    scope.addHook('onRequest', (request, reply) => limitNetwork(request, reply, rateLimits));
    for (const plugin of routes) await scope.register(plugin);
  });
}

/** The headers of the keys that a credential takes. A request with one of them is counted for the key. */
function keyHeadersOf({ security }: Credential): string[] {
  return Object.entries({ gameKey: 'x-game-key', apiKey: 'x-api-key' })
    .filter(([scheme]) => security.some((schemes) => scheme in schemes))
    .map(([, header]) => header);
}

function requiredRole({ url, config }: RouteOptions): Role | undefined {
  const role = config?.role;
  if (!role && /:(tenantId|workspaceId)/.test(url))
    throw new Error(`${url} must declare the role that it needs (config.role).`);
  return role;
}

function requireUsage({ url, config }: RouteOptions): void {
  if (!config?.usage)
    throw new Error(
      `${url} must declare whether it reads or writes (config.usage), because that decides how it is billed.`,
    );
}

/**
 * Returns the token of an `Authorization: Bearer` header, or undefined. If the header is repeated, Node keeps the first one, and a
 * proxy may check the last one. So neither is accepted.
 */
export function bearerToken(request: FastifyRequest): string | undefined {
  if (countHeader(request, 'authorization') > 1) return undefined;
  const match = /^Bearer +([\w.~+/-]+=*)$/i.exec(request.headers.authorization ?? '');
  return match?.[1];
}
