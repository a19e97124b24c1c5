import { randomBytes } from 'node:crypto';
import { sendJson, startStandIn, type StandIn } from './stand-in.ts';

/** A token that the store has issued. Without an account it is a client's own token. */
interface Token {
  clientId: string;
  accountId?: string;
  expired?: boolean;
}

interface StoreBStandIn extends StandIn {
  clientId: string;
  /** Issues an access token of the client for an account. */
  tokenOf(accountId: string | undefined, token?: Partial<Token>): string;
}

export const newStoreBUser = () => randomBytes(16).toString('hex');

/** Starts a fake of the store's account service, with its documented responses. */
export async function startStoreB(): Promise<StoreBStandIn> {
  const clientId = `xyza${randomBytes(8).toString('hex')}`;
  const tokens = new Map<string, Token>();

  const standIn = await startStandIn((url, response, headers) => {
    const refuse = (status: number, what: string) =>
      sendJson(response, status, {
        errorCode: `errors.oauth.${what}`,
        errorMessage: 'Sorry.',
        numericErrorCode: 1,
      });
    if (url.pathname !== '/oauth/v2/tokenInfo') return refuse(404, 'not_found');
    const bearer = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1];
    if (!bearer) return refuse(400, 'invalid_request');
    const token = tokens.get(bearer);
    if (!token || token.expired) return refuse(401, 'invalid_token');
    sendJson(response, 200, {
      active: true,
      scope: 'basic_profile',
      token_type: 'bearer',
      expires_in: 7000,
      expires_at: new Date(Date.now() + 7_000_000).toISOString(),
      client_id: token.clientId,
      application_id: 'fghi',
      account_id: token.accountId,
    });
  });

  return Object.assign(standIn, {
    clientId,
    tokenOf(accountId: string | undefined, token: Partial<Token> = {}) {
      const bearer = `b1~${randomBytes(300).toString('base64url')}`;
      tokens.set(bearer, { clientId, ...(accountId !== undefined && { accountId }), ...token });
      return bearer;
    },
  });
}
