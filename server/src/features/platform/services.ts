import type { BaseServices, CloseLater } from '../base-services.ts';
import { openTokenSigner } from './signing-keys/index.ts';

export async function openPlatformServices(
  { database, vault, changes, issuer, logger }: BaseServices,
  closeLater: CloseLater,
) {
  return { signer: closeLater(await openTokenSigner(database, vault, changes, issuer, { logger })) };
}
