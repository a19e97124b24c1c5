import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose';
import { sendJson, sendPage, startStandIn, type StandIn } from './stand-in.ts';

export interface WalletIssuer extends StandIn {
  /** The claim `iss` of its tokens, which is its URL. */
  issuer: string;
  audience: string;
  /** Its key pairs, newest last. It publishes the public keys. */
  keys: { publicJwk: JWK; privateKey: CryptoKey }[];
  /** Publishes another key, which signs all following tokens. */
  rotate(): Promise<void>;
  /** Replaces its OpenID configuration. */
  configuration: Record<string, unknown> | undefined;
  /** Issues a token for 5 minutes. The given claims win. Undefined removes a claim. */
  tokenOf(subject: string | undefined, claims?: JWTPayload): Promise<string>;
  /** How often its keys were requested. */
  timesRead(): number;
}

/** Starts an issuer of wallet tokens, with or without an OpenID configuration. */
export async function startWalletIssuer({ openId = true, algorithm = 'ES256' } = {}): Promise<WalletIssuer> {
  const keyPath = openId ? '/keys' : '/.well-known/jwks.json';
  const audience = 'a-game';
  const keys: WalletIssuer['keys'] = [];

  const standIn = await startStandIn((url, response) => {
    if (url.pathname === '/.well-known/openid-configuration' && openId) {
      const truth = { issuer: standIn.url, jwks_uri: `${standIn.url}${keyPath}` };
      return sendJson(response, 200, issuer.configuration ?? truth);
    }
    if (url.pathname === keyPath)
      return sendJson(response, 200, { keys: keys.map(({ publicJwk }) => publicJwk) });
    sendPage(response, 404, 'Not Found');
  });

  const issuer: WalletIssuer = Object.assign(standIn, {
    issuer: standIn.url,
    audience,
    keys,
    configuration: undefined,
    async rotate() {
      const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
      keys.push({
        privateKey,
        publicJwk: { ...(await exportJWK(publicKey)), kid: randomUUID(), alg: algorithm, use: 'sig' },
      });
    },
    tokenOf(subject: string | undefined, claims: JWTPayload = {}) {
      const { publicJwk, privateKey } = keys.at(-1)!;
      const seconds = Math.floor(Date.now() / 1000);
      const all = {
        iss: standIn.url,
        aud: audience,
        sub: subject,
        iat: seconds,
        exp: seconds + 300,
        ...claims,
      };
      const { alg, kid } = publicJwk;
      return new SignJWT(all as JWTPayload)
        .setProtectedHeader({ alg: alg!, kid: kid!, typ: 'JWT' })
        .sign(privateKey);
    },
    timesRead: () => standIn.requests.filter(({ url }) => url.pathname === keyPath).length,
  });
  await issuer.rotate();
  return issuer;
}
