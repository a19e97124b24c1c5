import type { Vault } from '../../../security/vault.ts';

/** A secret of an endpoint, as it is stored. */
export function sealSecret(vault: Vault, endpointId: string, secret: string): Buffer {
  return vault.seal(secret, purposeOf(endpointId));
}

export function unsealSecret(vault: Vault, endpointId: string, sealed: Buffer): string {
  return vault.open(sealed, purposeOf(endpointId));
}

function purposeOf(endpointId: string): string {
  return `webhook ${endpointId}`;
}
