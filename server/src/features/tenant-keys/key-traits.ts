import type { Querier } from '../../database/database.ts';
import type { Author } from '../../http/request-context.ts';
import { invalidField, Problem } from '../../shared/problem.ts';
import { toMicroseconds } from '../../shared/timestamps.ts';
import { findRole } from '../workspaces/index.ts';
import type { KeyTraits, RateLimit } from './queries.ts';

/** What a request says of a key; what it leaves out stays as it is. */
export interface KeyChange extends Partial<Omit<KeyTraits, 'rateLimit'>> {
  rateLimit?: Partial<RateLimit> | null;
}

/** The traits of a key after a change. Throws invalid_request for an expiry that has passed. */
export function applyTraits(kind: 'game' | 'api', before: KeyTraits, change: KeyChange): KeyTraits {
  const { name = before.name, rateLimitPerMinute = before.rateLimitPerMinute } = change;
  const { payloadBytesPerMinute = before.payloadBytesPerMinute } = change;
  const ofApiKeys = kind === 'api' ? change : {};
  const { allowDataApi = before.allowDataApi } = ofApiKeys;
  const { subscriberWorkspaceId = before.subscriberWorkspaceId } = ofApiKeys;
  return {
    name,
    allowDataApi,
    subscriberWorkspaceId,
    rateLimit: change.rateLimit === undefined ? before.rateLimit : wholeLimit(change.rateLimit),
    rateLimitPerMinute,
    payloadBytesPerMinute,
    expiresAt: change.expiresAt === undefined ? before.expiresAt : futureInstant(change.expiresAt),
  };
}

/** The traits that keys of a kind have, for the audit trail. */
export function auditedTraits(kind: 'game' | 'api', traits: KeyTraits): Partial<KeyTraits> {
  const { name, rateLimit, rateLimitPerMinute, payloadBytesPerMinute, expiresAt } = traits;
  const { allowDataApi, subscriberWorkspaceId } = traits;
  return {
    name,
    rateLimit,
    rateLimitPerMinute,
    payloadBytesPerMinute,
    expiresAt,
    ...(kind === 'api' && { allowDataApi, subscriberWorkspaceId }),
  };
}

/** Nobody may have a workspace billed that they do not belong to: it is then as if it did not exist. */
export async function requireSubscriber(
  db: Querier,
  { actor }: Author,
  workspaceId: string | null,
): Promise<void> {
  if (workspaceId === null) return;
  if (actor.id === null || !(await findRole(db, actor.id, { workspaceId })))
    throw new Problem('not_found', 'The subscriber’s workspace does not exist.');
}

function wholeLimit(limit: Partial<RateLimit> | null): RateLimit | null {
  const { perMinute = null, perHour = null } = limit ?? {};
  return perMinute === null && perHour === null ? null : { perMinute, perHour };
}

function futureInstant(text: string | null): string | null {
  if (text === null) return null;
  const instant = toMicroseconds(text);
  if (instant !== undefined && Date.parse(instant) > Date.now()) return instant;
  throw invalidField('expiresAt', 'must be in the future');
}
