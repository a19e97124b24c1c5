import type { Address } from 'viem';

export interface SignInMessage {
  /** The base address of the deployment: domain and URI of the message. */
  issuer: string;
  address: Address;
  statement: string;
  chainId: number;
  nonce: string;
  issuedAt: string;
  expiresAt: string;
}

/**
 * The text that a wallet shows and signs (EIP-4361). It is not viem's, which refuses domains without a dot, of IPv6, and
 * of internationalised top-level domains; for all others it is the same to the letter.
 */
export function writeSignInMessage(message: SignInMessage): string {
  const { host, href } = new URL(message.issuer);
  return [
    `${host} wants you to sign in with your Ethereum account:`,
    message.address,
    '',
    message.statement,
    '',
    `URI: ${href.replace(/\/$/, '')}`,
    'Version: 1',
    `Chain ID: ${message.chainId}`,
    `Nonce: ${message.nonce}`,
    `Issued At: ${message.issuedAt}`,
    `Expiration Time: ${message.expiresAt}`,
  ].join('\n');
}

/** The statement in a message about a game. Where its name holds what EIP-4361 does not allow there, its slug stands for it. */
export function statementFor({ name, slug }: { name: string; slug: string }): string {
  const game = /^[\w\-.~:/?#[\]@!$&'()*+,;= ]+$/.test(name) ? name : slug;
  return `Sign in to ${game}. Signing costs nothing and moves nothing.`;
}

/** The statement in a message that proves who somebody is. A player must see that it is no sign-in to a game. */
export const PROOF_STATEMENT =
  'Confirm a change of your player profile: its sign-in methods, a merge, an export or its deletion. ' +
  'This is not a sign-in to a game.';

/** The nonce of a message, however much else of it was altered; undefined where it holds none of ours. */
export function nonceOf(message: string): string | undefined {
  return /^Nonce: ([0-9a-f]{32})$/m.exec(message)?.[1];
}
