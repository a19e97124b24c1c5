import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { serveApiReference, type FindReferenceCredentials } from './api-reference.ts';
import { createCompressedAsset, type CompressedAsset } from '../compressed-asset.ts';
import { renderLlmsText } from './llms-text.ts';
import { EXAMPLE_TENANT_ID } from './openapi-examples.ts';
import { renderDocument, responseHeaders, type GeneratedDocument } from './openapi-document.ts';

const DESCRIPTION = `
Guildhall is a multi-tenant backend for games. It signs players in, stores their profiles, and records matches and events.

**Credentials.** A game sends its key in \`X-Game-Key\`. A read-only integration sends an API key in \`X-API-Key\`. Players and
console accounts send their access token as \`Authorization: Bearer\`. Each operation lists the credentials that it accepts.

**Errors** are problem documents (RFC 9457) with a stable \`code\`.

**Rate limits.** Each key has a limit per minute and per hour. Without a key, accounts, players and networks have a limit per
10 seconds. Responses carry \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`. After a 429, wait for the number
of seconds in \`Retry-After\`.

**Formats.** Times are ISO 8601 in UTC. Identifiers are lower-case UUIDs. Unknown members of a body are ignored,
except in queries of events and redeliveries of webhooks.
If an optional member is null, it counts as missing. New members and new values of enums can appear in responses at any time.
`;

const TAGS = [
  { name: 'Player sign-in', description: 'Sign players in to a tenant and issue tokens.' },
  { name: 'Player portal', description: 'Sign players in to their own profile, without a tenant.' },
  { name: 'Assertions', description: 'Issue short-lived proofs of a player’s identity to third parties.' },
  { name: 'Player profile', description: 'Read and change the player’s own profile.' },
  { name: 'Profile lookup', description: 'Read the profiles of other players.' },
  { name: 'Player devices', description: 'List and block the devices that a player has signed in from.' },
  { name: 'Sessions', description: 'Read login sessions, as a player or as an administrator of the tenant.' },
  {
    name: 'Matches',
    description:
      'Record matches, their players and their results. A game key acts for all players. With the token of a player, the request acts for ' +
      'that player only. If the game key has `requirePlayerToken`, a request without a token is 401 `missing_bearer`.',
  },
  { name: 'Gameplay events', description: 'Send batches of match and player events, and read them.' },
  {
    name: 'Wallet recording',
    description: 'Record sessions, matches and scores of wallet-linked players in a tamper-evident ledger.',
  },
  { name: 'Event definitions', description: 'Define the events that a tenant accepts.' },
  { name: 'Accounts', description: 'Sign up, sign in and manage a console account.' },
  { name: 'Workspaces', description: 'Manage workspaces, their members and their plans.' },
  { name: 'Usage', description: 'Read the used units and bytes of a workspace.' },
  { name: 'Tenants', description: 'Manage games and environments, their keys and sign-in providers.' },
  {
    name: 'Tenant players',
    description: 'List, ban and manage the players of a tenant as an administrator.',
  },
  { name: 'Alerts', description: 'Read alerts about keys with unusual traffic.' },
  { name: 'Notifications', description: 'Read the notifications of a console account.' },
  { name: 'Webhooks', description: 'Send signed events to other servers, and read the deliveries.' },
  { name: 'Administration', description: 'Manage the deployment as a platform admin.' },
  { name: 'Operations', description: 'Read health, metrics and public keys.' },
];

/** The credentials of the API. */
const SECURITY_SCHEMES = {
  gameKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Game-Key',
    description:
      'A game key: can write data of one tenant. If it has `requirePlayerToken`, a request that acts for a player also needs the access ' +
      'token of that player.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'An API key: can only read data of one tenant.',
  },
  player: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A player access token, valid for 2 hours.',
  },
  walletPlayer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A platform JWT from a wallet login, valid for 2 hours.',
  },
  assertion: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An assertion that a third party received, valid for 5 minutes.',
  },
  thirdParty: {
    type: 'http',
    scheme: 'bearer',
    description: 'The refresh token of a third party, valid for 30 days.',
  },
  metricsToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The token of the setting METRICS_TOKEN. Optional if the setting is empty, the server listens on loopback and TRUST_PROXY is off.',
  },
  account: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A console access token, valid for 15 minutes.',
  },
} as const;

/**
 * Serves `/openapi.json`, generated from all routes that are registered later, and the API reference at `/docs`. The document
 * is built at the first request, once.
 */
export async function publishOpenApi(
  app: FastifyInstance,
  {
    version,
    publicUrl,
    webhooks,
    findCredentials,
  }: {
    version: string;
    publicUrl: string;
    webhooks: Record<string, object>;
    findCredentials: FindReferenceCredentials;
  },
): Promise<void> {
  let published: CompressedAsset | undefined;
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Guildhall',
        version,
        description: DESCRIPTION,
        contact: { name: 'The operator of this server', url: publicUrl },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: TAGS,
      webhooks,
      components: {
        headers: responseHeaders,
        securitySchemes: SECURITY_SCHEMES,
      },
    },
    // The plugin caches the result, so the objects of the generated document are not kept in memory.
    transformObject: (document) => {
      if ('openapiObject' in document)
        published = createCompressedAsset(
          Buffer.from(renderDocument(document.openapiObject as GeneratedDocument, publicUrl)),
          'application/json',
          'no-cache',
        );
      return {};
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) => (json.$id as string) ?? `schema${index}`,
    },
  });
  app.get('/openapi.json', { schema: { hide: true } }, async (request, reply) =>
    openDocument().send(request, reply),
  );
  let llmsText: CompressedAsset | undefined;
  app.get('/llms.txt', { schema: { hide: true } }, async (request, reply) => {
    llmsText ??= createCompressedAsset(
      Buffer.from(renderLlmsText(openDocument().content.toString())),
      'text/plain; charset=utf-8',
      'no-cache',
    );
    return llmsText.send(request, reply);
  });
  await serveApiReference(app, {
    findCredentials,
    exampleTenantId: EXAMPLE_TENANT_ID,
    documentFor: ({ tenantId }) => openDocument().content.toString().replaceAll(EXAMPLE_TENANT_ID, tenantId),
  });

  function openDocument(): CompressedAsset {
    if (!published) app.swagger();
    return published!;
  }
}
