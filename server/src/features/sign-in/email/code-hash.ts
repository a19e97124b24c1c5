import type { Vault } from '../../../security/vault.ts';

/** What is kept of a code. It is bound to the tenant and the address: a code for another one does not match. */
export function codeHash(
  vault: Vault,
  { tenantId, email }: { tenantId: string; email: string },
  code: string,
): Buffer {
  return vault.fingerprint(`one-time code ${tenantId} ${email} ${code}`);
}
