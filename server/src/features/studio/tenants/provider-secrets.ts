import type { Vault } from '../../../security/vault.ts';
import type { Provider } from './providers.ts';

/** The write-only settings of a provider, by name. */
export type Secrets = Record<string, string>;

/** Encrypts secrets for one tenant and provider. They cannot be decrypted for another tenant or provider. */
export function sealSecrets(
  vault: Vault,
  tenantId: string,
  provider: Provider,
  secrets: Secrets,
): Buffer | null {
  return Object.keys(secrets).length === 0
    ? null
    : vault.seal(JSON.stringify(secrets), purpose(tenantId, provider));
}

export function unsealSecrets(
  vault: Vault,
  tenantId: string,
  { provider, secrets }: { provider: Provider; secrets: Buffer | null },
): Secrets {
  return secrets ? (JSON.parse(vault.open(secrets, purpose(tenantId, provider))) as Secrets) : {};
}

function purpose(tenantId: string, provider: Provider): string {
  return `provider secrets ${tenantId} ${provider}`;
}
