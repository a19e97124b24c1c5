import assert from 'node:assert/strict';
import { someNetwork } from '../src/testing/email-player.ts';
import { openTestStream } from '../src/testing/event-stream.ts';
import type { Answer } from '../src/testing/http-client.ts';
import type { Operation, Studio, World } from './world.ts';

/** The credentials of the OpenAPI document. */
export type SchemeName =
  | 'gameKey'
  | 'apiKey'
  | 'player'
  | 'account'
  | 'walletPlayer'
  | 'thirdParty'
  | 'assertion'
  | 'metricsToken';

/** A request that the server accepts, in parts that a suite can replace. */
export interface ValidRequest {
  path: Record<string, string>;
  query: Record<string, string>;
  headers: Record<string, string>;
  /** The value that becomes JSON or a form. Undefined if the operation has no body. */
  body: unknown;
  /** A valid credential of each kind that the operation takes. */
  credentials: Partial<Record<SchemeName, string>>;
}

/** Makes a new valid request of an operation, with everything that it refers to. */
export type MakeRequest = (studio: Studio) => Promise<Partial<ValidRequest>>;

/** The sets of credentials that an operation takes. An open operation takes the empty set. */
export function alternativesOf({ security = [] }: Operation): SchemeName[][] {
  return security.length === 0 ? [[]] : security.map((one) => Object.keys(one) as SchemeName[]);
}

/** The headers of credentials. */
export function credentialHeaders(credentials: Partial<Record<SchemeName, string>>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [scheme, value] of Object.entries(credentials)) {
    if (scheme === 'gameKey') headers['x-game-key'] = value;
    else if (scheme === 'apiKey') headers['x-api-key'] = value;
    else headers['authorization'] = `Bearer ${value}`;
  }
  return headers;
}

/** Only the credentials of one alternative. */
export function pickCredentials(
  { credentials }: Pick<ValidRequest, 'credentials'>,
  alternative: SchemeName[],
): Partial<Record<SchemeName, string>> {
  return Object.fromEntries(
    alternative.map((scheme) => {
      assert.ok(credentials[scheme], `the request has a credential of the kind ${scheme}`);
      return [scheme, credentials[scheme]];
    }),
  );
}

export function addressOf({ path }: Pick<Operation, 'path'>, request: ValidRequest): string {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(request.path[name] ?? ''),
  );
  const query = new URLSearchParams(request.query).toString();
  return query === '' ? address : `${address}?${query}`;
}

/** Sends a request with these headers instead of its credentials. Each request comes from another network. */
export async function sendRequest(
  { app }: World,
  operation: Operation,
  request: ValidRequest,
  headers = credentialHeaders(pickCredentials(request, alternativesOf(operation)[0]!)),
): Promise<Answer> {
  const all = { 'x-forwarded-for': someNetwork(), ...request.headers, ...headers };
  const address = addressOf(operation, request);
  if (operation.operationId === 'streamNotifications') {
    if ((await openAndClose(app.url + address, all)) === 200)
      return { status: 200, headers: new Headers(), text: '', body: undefined };
  }
  const { body } = request;
  const isForm = body === undefined || body instanceof FormData;
  return app.http.raw(operation.method, address, isForm ? body : JSON.stringify(body), { headers: all });
}

/** The status of a stream, which continues until its reader leaves. */
async function openAndClose(url: string, headers: Record<string, string>): Promise<number> {
  const stream = await openTestStream(url, { headers });
  stream.close();
  return stream.status;
}
