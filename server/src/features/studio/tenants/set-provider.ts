import type { Database, Querier } from '../../../database/database.ts';
import type { Author } from '../../../core/author.ts';
import type { Vault } from '../../../security/vault.ts';
import { tenantUrlError } from '../../../outbound/tenant-url.ts';
import { invalidField, ProblemError } from '../../../core/problem.ts';
import { audit, difference } from '../../platform/audit/index.ts';
import { unsealSecrets, sealSecrets, type Secrets } from './provider-secrets.ts';
import { mayUseMock, settingNames, type Provider } from './providers.ts';
import { listProviderSettings, lockTenant, upsertProviderSettings } from './queries.ts';
import type { ProviderSettings } from './provider-settings.ts';
import { readProvider, type ProviderView } from './read-providers.ts';

interface SetProviderServices {
  vault: Vault;
  config: { mockProvider: boolean; allowPrivateAddresses: boolean };
}

export interface ProviderServices extends SetProviderServices {
  database: Database;
  providerSettings: ProviderSettings;
}

interface ProviderChange {
  tenantId: string;
  provider: Provider;
  enabled: boolean;
  /** Replaces the stored settings. Omitted secrets keep their value. If undefined, all settings keep their value. */
  settings?: Record<string, unknown> | undefined;
}

/** Enables, disables or configures a sign-in provider. Throws the errors of {@link setProvider}. */
export async function configureProvider(
  services: ProviderServices,
  author: Author,
  change: ProviderChange,
): Promise<ProviderView> {
  const view = await services.database
    .forTenant(change.tenantId)
    .transaction((transaction) => setProvider(transaction, services, author, change));
  services.providerSettings.invalidate(change.tenantId);
  return view;
}

/**
 * Does the same in the caller's transaction in the tenant's scope, for a new tenant: the settings may not be cached yet. Throws
 * not_found and invalid_request. Throws provider_not_available if the change enables Mock and the operator does not allow it.
 */
export async function setProvider(
  transaction: Querier,
  { vault, config }: SetProviderServices,
  author: Author,
  { tenantId, provider, enabled, settings: given }: ProviderChange,
): Promise<ProviderView> {
  if (provider === 'WalletJwt' && given) requireValidIssuer(given['issuer'] as string, config);
  const tenant = await lockTenant(transaction, tenantId);
  if (!tenant) throw new ProblemError('not_found');
  if (provider === 'Mock' && enabled && !mayUseMock(config, tenant))
    throw new ProblemError(
      'provider_not_available',
      'The operator of this deployment does not allow Mock. Use another provider.',
    );

  const rows = await listProviderSettings(transaction, tenantId);
  const stored = rows.find((row) => row.provider === provider);
  const before = readProvider(vault, tenantId, provider, stored);
  const storedSecrets = stored ? unsealSecrets(vault, tenantId, stored) : {};
  const { settings, secrets } = separateSecrets(provider, given ?? stored?.settings ?? {});
  const written = await upsertProviderSettings(transaction, {
    tenantId,
    provider,
    enabled,
    settings,
    secrets: sealSecrets(vault, tenantId, provider, { ...storedSecrets, ...secrets }),
  });

  const after = readProvider(vault, tenantId, provider, written);
  const replacedSecrets = Object.keys(secrets).filter((name) => secrets[name] !== storedSecrets[name]);
  const changed = difference(auditedFields(before), auditedFields(after));
  if (changed || replacedSecrets.length > 0) {
    await audit(transaction, {
      ...author,
      action: 'provider.updated',
      tenantId,
      targetId: provider,
      details: { ...changed, ...(replacedSecrets.length > 0 && { replacedSecrets }) },
    });
  }
  return after;
}

/**
 * The `iss` claim must equal the issuer exactly, and the discovery path is appended to it. So the issuer has no query and no
 * fragment.
 */
function requireValidIssuer(issuer: string, config: SetProviderServices['config']): void {
  const isBare = /^[!-~]+$/.test(issuer) && !/[?#]/.test(issuer);
  const fault = isBare ? tenantUrlError(issuer, config) : 'must be an ASCII URL without query and fragment';
  if (!fault) return;
  throw invalidField('settings.issuer', fault, `The body is not valid: settings.issuer ${fault}.`);
}

function auditedFields({ enabled, settings }: ProviderView) {
  return { enabled, settings };
}

/** Separates settings from secrets. Unknown settings are dropped. */
function separateSecrets(provider: Provider, given: Record<string, unknown>) {
  const { required, optional, secret } = settingNames[provider];
  const settings: Record<string, unknown> = {};
  const secrets: Secrets = {};
  for (const name of [...required, ...optional]) {
    if (given[name] === undefined) continue;
    if (secret.includes(name)) secrets[name] = given[name] as string;
    else settings[name] = given[name];
  }
  return { settings, secrets };
}
