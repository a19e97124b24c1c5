import { generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Issues tokens to the users of a wallet, and publishes the key that verifies them. */
export interface WalletIssuer {
  url: string;
  audience: string;
  /** A token for the owner of an address, valid for five minutes. */
  tokenOf(address: string): string;
  close(): void;
}

const KEYS = '/.well-known/jwks.json';

/** Starts an issuer on a free port of this machine. A real issuer has a public https address. */
export async function startWalletIssuer(audience: string): Promise<WalletIssuer> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = randomUUID();
  const key = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' };
  const server = createServer((request, response) => {
    response.statusCode = request.url === KEYS ? 200 : 404;
    response.setHeader('content-type', 'application/json');
    response.end(request.url === KEYS ? JSON.stringify({ keys: [key] }) : '{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    audience,
    tokenOf(address) {
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: url,
        aud: audience,
        sub: address,
        wallet_address: address,
        iat: now,
        exp: now + 300,
      };
      return signJwt({ alg: 'ES256', typ: 'JWT', kid }, claims, privateKey);
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function signJwt(header: object, claims: object, key: KeyObject): string {
  const text = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}
