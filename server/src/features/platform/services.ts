import type { BaseServices, CloseLater } from '../base-services.ts';
import { openTokenSigner } from './signing-keys/index.ts';

export async function openPlatformServices(services: BaseServices, closeLater: CloseLater) {
  return { signer: closeLater(await openTokenSigner(services)) };
}
