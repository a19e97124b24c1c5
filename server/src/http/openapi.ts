import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { publishReference } from './api-reference.ts';
import { renderDocument, responseHeaders } from './openapi-document.ts';

const DESCRIPTION = `
Guildhall signs players in, keeps their profiles, and records what they do, for many games at once.

**Credentials.** A game sends its key in \`X-Game-Key\`; a read-only integration sends an API key in \`X-API-Key\`; players and
dashboard accounts send their access token as \`Authorization: Bearer\`. Each operation says which it takes.

**Errors** are problem documents (RFC 9457) with a stable \`code\`.

**Limits.** Requests are counted per key, by the minute and by the hour. The answers to a key say in \`RateLimit-Limit\`,
\`RateLimit-Remaining\` and \`RateLimit-Reset\` how it stands; a 429 says in \`Retry-After\` how long to wait.

**Times** are ISO 8601 in UTC; identifiers are lower-case UUIDs; unknown members of a body are ignored,
and null for an optional member is as if it were left out.
`;

const TAGS = [
  { name: 'Player sign-in', description: 'Players sign in to a tenant and get tokens.' },
  { name: 'Player portal', description: 'Players sign in to themselves, outside of any tenant.' },
  { name: 'Assertions', description: 'Short-lived proofs of who a player is, for third parties.' },
  { name: 'Player profile', description: 'What players see and do of their own.' },
  { name: 'Profile lookup', description: 'What others see of a player.' },
  { name: 'Player devices', description: 'The devices a player has signed in from.' },
  { name: 'Sessions', description: 'Logins, as their players and as the tenant’s administrators see them.' },
  { name: 'Matches', description: 'Match sessions and their rosters.' },
  { name: 'Gameplay events', description: 'Batches of match and player events, and reading them back.' },
  {
    name: 'Wallet recording',
    description:
      'Sessions, matches and scores of wallet-linked players, in a ledger that shows every change.',
  },
  { name: 'Event definitions', description: 'What events a tenant knows.' },
  { name: 'Accounts', description: 'Dashboard accounts.' },
  { name: 'Workspaces', description: 'Who owns which tenants.' },
  { name: 'Usage', description: 'What a workspace has used of its plan, and what it is billed.' },
  { name: 'Tenants', description: 'Games and environments, their keys and sign-in providers.' },
  { name: 'Tenant players', description: 'The players of a tenant, as its administrators see them.' },
  { name: 'Alerts', description: 'Keys on which more came in than usual.' },
  { name: 'Notifications', description: 'What dashboard accounts are told.' },
  { name: 'Webhooks', description: 'What other servers are told, signed, and what came of it.' },
  { name: 'Administration', description: 'The deployment as a whole, for platform admins.' },
  { name: 'Operations', description: 'Health, metrics and public keys.' },
];

/** Generates `/openapi.json` from the routes registered after this, and shows it at `/docs`. */
export async function publishOpenApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Guildhall',
        version,
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: TAGS,
      components: {
        headers: responseHeaders,
        securitySchemes: {
          gameKey: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Game-Key',
            description: 'A game key: write-capable, of one tenant.',
          },
          apiKey: {
            type: 'apiKey',
            in: 'header',
            name: 'X-API-Key',
            description: 'An API key: read-only, of one tenant.',
          },
          player: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'A player access token (2 hours).',
          },
          walletPlayer: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'A platform JWT, as a wallet login gives it (2 hours).',
          },
          assertion: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'An assertion (5 minutes), as a third party was handed it.',
          },
          thirdParty: {
            type: 'http',
            scheme: 'bearer',
            description: 'A third party’s refresh token (30 days).',
          },
          metricsToken: {
            type: 'http',
            scheme: 'bearer',
            description:
              'The token of the setting METRICS_TOKEN. On loopback /metrics may be open without one.',
          },
          account: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'A dashboard access token (15 minutes).',
          },
        },
      },
    },
    transform: ({ schema, url }) => ({ schema: withOptionalDefaults(schema), url }),
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) => (json.$id as string) ?? `schema${index}`,
    },
  });
  let published: string | undefined;
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    published ??= renderDocument(app.swagger());
    return reply.type('application/json').send(published);
  });
  await publishReference(app);
}

/** A member with a default may be left out of a request, which its schema, made for the handler's types, does not say. */
function withOptionalDefaults<Schema extends { body?: unknown; querystring?: unknown }>(
  schema: Schema,
): Schema {
  const relax = (part: unknown): unknown => {
    const object = part as
      | { properties?: Record<string, { default?: unknown }>; required?: string[] }
      | undefined;
    if (!object?.properties || !object.required) return part;
    const { properties } = object;
    return { ...object, required: object.required.filter((name) => properties[name]?.default === undefined) };
  };
  return {
    ...schema,
    ...(schema?.body ? { body: relax(schema.body) } : {}),
    querystring: relax(schema?.querystring),
  };
}
