import type { KeyKind } from '../../../core/callers.ts';
import type { Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import { futureInstant } from '../../../core/future-instant.ts';
import { newId } from '../../../core/ids.ts';
import { invalidField } from '../../../core/problem.ts';
import { now } from '../../../core/timestamps.ts';
import { findPlan, type KeySettings, type KeyRateLimit } from './queries.ts';

/**
 * The settings that a request changes. Omitted settings keep their value. The bodies of game keys declare neither
 * `allowDataApi` nor `subscriberWorkspaceId`, because a game key reads no data. Those of API keys do not declare `requirePlayerToken`,
 * because an API key never acts for a player.
 */
export interface KeyChange extends Partial<
  Omit<KeySettings, 'rateLimit' | 'subscriberAgreementId' | 'subscriberAgreedBy' | 'subscriberAgreedAt'>
> {
  rateLimit?: Partial<KeyRateLimit> | null;
}

/**
 * Returns the settings of a key after a change. If the change names a new payer, the author is stored as the account that
 * agreed. Throws invalid_request if the expiry has passed.
 */
export function applyChange(before: KeySettings, change: KeyChange, { actor }: Author): KeySettings {
  const { subscriberWorkspaceId = before.subscriberWorkspaceId } = change;
  const agreement =
    subscriberWorkspaceId === null
      ? { subscriberAgreementId: null, subscriberAgreedBy: null, subscriberAgreedAt: null }
      : { subscriberAgreementId: newId(), subscriberAgreedBy: actor.id, subscriberAgreedAt: now() };
  const { expiresAt = before.expiresAt } = change;
  return {
    ...before,
    ...change,
    ...(subscriberWorkspaceId !== before.subscriberWorkspaceId && agreement),
    rateLimit: changeLimit(before.rateLimit, change.rateLimit),
    expiresAt:
      typeof change.expiresAt === 'string' ? futureInstant('expiresAt', change.expiresAt) : expiresAt,
  };
}

/** Returns the settings that the audit trail records for keys of this kind. */
export function auditedSettings(kind: KeyKind, settings: KeySettings): Partial<KeySettings> {
  const { name, rateLimit, rateLimitPerMinute, payloadBytesPerMinute, expiresAt } = settings;
  const { allowDataApi, subscriberWorkspaceId, requirePlayerToken } = settings;
  return {
    name,
    rateLimit,
    rateLimitPerMinute,
    payloadBytesPerMinute,
    expiresAt,
    ...(kind === 'api' ? { allowDataApi, subscriberWorkspaceId } : { requirePlayerToken }),
  };
}

/** Throws invalid_request if a rate limit is above the plan. */
export async function requireWithinPlan(
  db: Querier,
  tenantId: string,
  limit: KeyChange['rateLimit'],
): Promise<void> {
  const plan = limit && (await findPlan(db, tenantId));
  if (!plan) return;
  for (const window of ['perMinute', 'perHour'] as const) {
    const maximum = plan[window];
    if ((limit[window] ?? 0) > maximum)
      throw invalidField(`rateLimit.${window}`, `must be at most ${maximum}, the limit of the plan`);
  }
}

/** An omitted window keeps its limit. */
function changeLimit(before: KeyRateLimit | null, change: KeyChange['rateLimit']): KeyRateLimit | null {
  if (change === null) return null;
  const { perMinute = null, perHour = null } = { ...before, ...change };
  return { perMinute, perHour };
}
