import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openOutboundClient } from '../../../../outbound/http-client.ts';
import { startWalletIssuer } from '../../../../testing/providers/wallet-issuer.ts';
import { createWalletJwtVerifier } from './wallet-jwt-verifier.ts';

const client = openOutboundClient({ publicOnly: false });
after(() => client.close());

describe('createWalletJwtVerifier', () => {
  test('verifies signatures for waiting tenants in turn', async () => {
    const issuer = await startWalletIssuer({ algorithm: 'ES512' });
    const verifyToken = createWalletJwtVerifier(client, { allowPrivateAddresses: true });
    const token = await issuer.tokenOf('ada');
    const verify = (tenantId: string) =>
      verifyToken({ issuer: issuer.issuer, audience: issuer.audience }, token, {
        tenantId,
        workspaceId: 'studio',
      });
    for (const tenantId of ['noisy', 'quiet']) await verify(tenantId);

    const order: string[] = [];
    const count = (tenantId: string) => verify(tenantId).then(() => order.push(tenantId));
    await Promise.all([...Array.from({ length: 40 }, () => count('noisy')), count('quiet')]);
    assert.ok(order.indexOf('quiet') <= 2, order.join(', '));
  });
});
