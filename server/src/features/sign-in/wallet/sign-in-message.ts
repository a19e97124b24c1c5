import type { Address } from 'viem';

interface SignInMessage {
  /** The base URL of the deployment: the domain and URI of the message. */
  issuer: string;
  address: Address;
  statement: string;
  chainId: number;
  nonce: string;
  issuedAt: string;
  expiresAt: string;
}

/**
 * The text that a wallet shows and signs (EIP-4361). viem's function refuses domains without a dot, IPv6 addresses, and
 * internationalized top-level domains. For all other domains both return the same text.
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

/** The statement for a game. If the name contains characters that EIP-4361 forbids, the statement uses the slug. */
export function statementFor({ name, slug }: { name: string; slug: string }): string {
  const game = /^[\w\-.~:/?#[\]@!$&'()*+,;= ]+$/.test(name) ? name : slug;
  return `Sign in to ${game}. Signing costs nothing and moves nothing.`;
}

/** The statement for a proof of identity. It states that this is not a sign-in to a game. */
export const PROOF_STATEMENT =
  'Confirm a change of your player profile: its sign-in methods, a merge, an export or its deletion. ' +
  'This is not a sign-in to a game.';

/** The nonce of a message, even if the rest was changed. Undefined if the message contains no nonce of this format. */
export function nonceOf(message: string): string | undefined {
  return /^Nonce: ([0-9a-f]{32})$/m.exec(message)?.[1];
}
