import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  type KeyObject,
} from 'node:crypto';
import type { JWK } from 'jose';
import type { TestApp } from './test-app.ts';
import { vault } from './test-vault.ts';

/** Creates tokens that differ from a real token by one fault. */
interface Forger {
  /** The public key of the deployment. */
  published: JWK & { kid: string };
  /**
   * Changes claims of a token and signs it with the key of the deployment, or with another key. Undefined removes a
   * claim.
   */
  forge(token: string, claims: object | null, header?: object, key?: KeyObject): string;
  /** All forgeries of a token that every endpoint must reject, by the name of their fault. */
  forgeries(token: string): Record<string, string>;
}

/** Decodes a part of a JWT: 0 is the header, 1 the claims. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read claims of any shape
export function partOf(token: string, index: 0 | 1): any {
  return JSON.parse(Buffer.from(token.split('.')[index]!, 'base64url').toString());
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Creates a forger with the private key of the deployment, for tokens with a valid signature and another fault. */
export async function createForger(app: TestApp): Promise<Forger> {
  const jwks = (await app.http.get('/.well-known/jwks.json')).body as { keys: Forger['published'][] };
  const published = jwks.keys[0]!;
  const { rows } = await app.owner.query('SELECT private_jwk FROM signing_keys WHERE kid = $1', [
    published.kid,
  ]);
  const jwk = JSON.parse(vault.open(rows[0].private_jwk, 'signing key'));
  const ownKey = createPrivateKey({ key: jwk, format: 'jwk' });

  /** Uses Node's crypto instead of the library under test, because Node signs any content. */
  const forge: Forger['forge'] = (token, claims, header = {}, key = ownKey) => {
    const body = claims && { ...partOf(token, 1), ...claims };
    const text = `${encode({ ...partOf(token, 0), ...header })}.${encode(body)}`;
    const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  };

  return { published, forge, forgeries: (token) => allForgeries(app, published, forge, token) };
}

function allForgeries(
  app: TestApp,
  published: Forger['published'],
  forgeLike: Forger['forge'],
  token: string,
): Record<string, string> {
  const forge = (claims: object | null, header?: object, key?: KeyObject) =>
    forgeLike(token, claims, header, key);
  const without = (claim: string) => forge({ [claim]: undefined });
  const [head, body, signature] = token.split('.') as [string, string, string];
  const header = partOf(token, 0);
  const claims = partOf(token, 1);
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const otherKey = other.privateKey;
  const otherJwk = other.publicKey.export({ format: 'jwk' });
  const publicKey = createPublicKey({ key: published, format: 'jwk' });
  const now = Math.floor(Date.now() / 1000);
  const hmac = (secret: string) => {
    const text = `${encode({ ...header, alg: 'HS256' })}.${body}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  const otherKind = claims.auth_type === 'saas' ? 'player' : 'saas';

  return {
    'alg none': `${encode({ alg: 'none' })}.${body}.`,
    'alg none with the signature': `${encode({ ...header, alg: 'none' })}.${body}.${signature}`,
    'alg None': `${encode({ ...header, alg: 'None' })}.${body}.`,
    'alg NONE': `${encode({ ...header, alg: 'NONE' })}.${body}.`,
    'alg nOnE': `${encode({ ...header, alg: 'nOnE' })}.${body}.`,
    'HS256 with the public key as PEM': hmac(publicKey.export({ type: 'spki', format: 'pem' }).toString()),
    'HS256 with the public key as DER': hmac(
      publicKey.export({ type: 'spki', format: 'der' }).toString('latin1'),
    ),
    'HS256 with the public key as JWK': hmac(JSON.stringify(published)),
    'HS256 with nothing': hmac(''),
    'no algorithm': `${encode({ kid: published.kid })}.${body}.${signature}`,
    'no key id': forge({}, { kid: undefined }),
    'another key': forge({}, {}, otherKey),
    'a key of its own in jwk': forge({}, { jwk: otherJwk, kid: undefined }, otherKey),
    'a key of its own in jwk, under our kid': forge({}, { jwk: otherJwk }, otherKey),
    jku: forge({}, { jku: `${app.url}/.well-known/jwks.json`, kid: 'x' }, otherKey),
    x5u: forge({}, { x5u: 'http://127.0.0.1:1/x', kid: undefined }, otherKey),
    x5c: forge({}, { x5c: ['AAAA'], kid: 'x' }, otherKey),
    'kid of a path': forge({}, { kid: '../../../../dev/null' }),
    'kid of SQL': forge({}, { kid: "' OR 1=1 --" }),
    'kid of a prototype': forge({}, { kid: '__proto__' }),
    'kid that is no text': forge({}, { kid: [published.kid] }),
    'critical extension': forge({}, { crit: ['exp'], exp: now }),
    expired: forge({ iat: now - 7300, exp: now - 1 }),
    'expiry that is no number': forge({ exp: '9999999999' }),
    'no expiry': without('exp'),
    'no subject': without('sub'),
    'no time of issue': without('iat'),
    'no id': without('jti'),
    'not valid yet': forge({ nbf: now + 60 }),
    'another issuer': forge({ iss: 'https://evil.example' }),
    'no issuer': without('iss'),
    'another kind': forge({ auth_type: otherKind }),
    'another scope': forge({ scope: otherKind }),
    'a kind that there is not': forge({ auth_type: 'admin', scope: 'admin' }),
    'no kind': without('auth_type'),
    'neither kind nor scope': forge({ auth_type: undefined, scope: undefined }),
    'other claims under the signature': `${head}.${encode({ ...claims, sub: claims.sid })}.${signature}`,
    truncated: token.slice(0, -3),
    'without its signature': `${head}.${body}`,
    'with an empty signature': `${head}.${body}.`,
    'in one piece': head,
    'five pieces': `${token}.x.y`,
    dots: '..',
    'no JSON': `${Buffer.from('{').toString('base64url')}.${body}.${signature}`,
    'null for claims': forge(null),
    'very long': `${head}.${'A'.repeat(12_000)}.${signature}`,
  };
}
