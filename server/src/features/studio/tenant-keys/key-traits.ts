import type { Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { invalidField } from '../../../core/problem.ts';
import { now, toMicroseconds } from '../../../core/timestamps.ts';
import { findPlan, type KeyTraits, type RateLimit } from './queries.ts';

/** What a request says of a key; what it leaves out stays as it is. */
export interface KeyChange extends Partial<
  Omit<KeyTraits, 'rateLimit' | 'subscriberAgreedBy' | 'subscriberAgreedAt'>
> {
  rateLimit?: Partial<RateLimit> | null;
}

/**
 * The traits of a key after a change by the author, who agrees for a new payer. Throws invalid_request for an expiry that has
 * passed.
 */
export function applyTraits(
  kind: 'game' | 'api',
  before: KeyTraits,
  change: KeyChange,
  { actor }: Author,
): KeyTraits {
  const { name = before.name, rateLimitPerMinute = before.rateLimitPerMinute } = change;
  const { payloadBytesPerMinute = before.payloadBytesPerMinute } = change;
  const ofApiKeys = kind === 'api' ? change : {};
  const { allowDataApi = before.allowDataApi } = ofApiKeys;
  const { subscriberWorkspaceId = before.subscriberWorkspaceId } = ofApiKeys;
  const agreement =
    subscriberWorkspaceId === before.subscriberWorkspaceId
      ? { subscriberAgreedBy: before.subscriberAgreedBy, subscriberAgreedAt: before.subscriberAgreedAt }
      : subscriberWorkspaceId === null
        ? { subscriberAgreedBy: null, subscriberAgreedAt: null }
        : { subscriberAgreedBy: actor.id, subscriberAgreedAt: now() };
  return {
    name,
    allowDataApi,
    subscriberWorkspaceId,
    ...agreement,
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

/** The payer that a change names; null if it names none. Game keys read no data, so nobody pays for them. */
export function newPayer(kind: 'game' | 'api', change: KeyChange): string | null {
  return (kind === 'api' && change.subscriberWorkspaceId) || null;
}

/** Refuses limits above those of the plan. Throws invalid_request. */
export async function requireWithinPlan(
  db: Querier,
  tenantId: string,
  limit: KeyChange['rateLimit'],
): Promise<void> {
  const plan = limit && (await findPlan(db, tenantId));
  if (!plan) return;
  for (const window of ['perMinute', 'perHour'] as const) {
    const most = plan[window];
    if ((limit[window] ?? 0) > most)
      throw invalidField(`rateLimit.${window}`, `must be at most ${most}, the limit of the plan`);
  }
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
