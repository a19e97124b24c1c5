import type { FastifyRequest } from 'fastify';
import { ProblemError } from '../../core/problem.ts';
import { createChecks, placeOf, type CountRequest, type Verifiers } from './credential-checks.ts';
import type { Credential } from './credential-scope.ts';
import { playerOf } from '../request-context.ts';
import { limitKeyless, type RateLimiter } from '../traffic/rate-limit.ts';

export type CredentialName =
  | 'gameKey'
  | 'gameKeyAndMaybePlayer'
  | 'gameKeyAndPlayer'
  | 'player'
  | 'account'
  | 'platformAdmin'
  | 'accountOrApiKey'
  | 'exchangeableToken'
  | 'assertion'
  | 'walletPlayer'
  | 'gameKeyOrWalletPlayer'
  | 'gameKeyOrDataKey'
  | 'dataKey';

/** Creates the credentials that routes are registered with. See docs/authentication.md. */
export function createCredentials(
  verify: Verifiers,
  rateLimits: RateLimiter,
  countRequest: CountRequest,
): Record<CredentialName, Credential> {
  const check = createChecks(verify, rateLimits, countRequest);
  return {
    gameKey: {
      security: [{ gameKey: [] }],
      authenticate: async (request, reply) => void (await check.key(request, reply, 'game')),
    },
    /**
     * A game key, with or without the token of the player that the request acts for. A key in a game client can require the token, because
     * every player can read it.
     */
    gameKeyAndMaybePlayer: {
      security: [{ gameKey: [] }, { gameKey: [], player: [] }],
      authenticate: async (request, reply) => {
        const key = await check.key(request, reply, 'game');
        if (request.headers.authorization !== undefined) return check.playerOfKey(request, key);
        if (key.requirePlayerToken) throw new ProblemError('missing_bearer', PLAYER_TOKEN_DETAIL);
      },
    },
    gameKeyAndPlayer: {
      security: [{ gameKey: [], player: [] }],
      authenticate: async (request, reply) =>
        check.playerOfKey(request, await check.key(request, reply, 'game')),
    },
    /** A player who reads or changes their own data. Keys in the request are ignored. */
    player: {
      security: [{ player: [] }],
      authenticate: async (request, reply) => {
        const { playerId } = await check.player(request);
        await limitKeyless(request, reply, rateLimits, { kind: 'player', id: playerId });
        if (!(await verify.hasProfile(playerId))) throw new ProblemError('invalid_bearer');
      },
      async admit(request) {
        const { checksProof } = request.routeOptions.config;
        if (!checksProof && !(await verify.mayUseProfile(playerOf(request))))
          throw new ProblemError('identity_proof_required', UNPROVEN_SESSION_DETAIL);
      },
    },
    account: {
      security: [{ account: [] }],
      authenticate: check.account,
      authorize: check.role,
    },
    platformAdmin: {
      security: [{ account: [] }],
      authenticate: check.account,
      async admit(request) {
        if (!(await verify.platformAdmin(request.accountCaller!.accountId)))
          throw new ProblemError(
            'forbidden',
            'Only a platform admin may do this. Ask the operator of the deployment.',
          );
      },
    },
    /** Reads a tenant's data, from the console or with an API key. Exactly one of the two. */
    accountOrApiKey: {
      security: [{ account: [] }, { apiKey: [] }],
      authenticate: async (request, reply) => {
        if (request.headers['x-api-key'] === undefined) {
          if (request.headers.authorization === undefined)
            throw new ProblemError(
              'missing_bearer',
              'Send the access token of an account as "Authorization: Bearer <token>", or an API key in the header X-API-Key.',
            );
          return check.account(request, reply);
        }
        if (request.headers.authorization !== undefined)
          throw new ProblemError('conflicting_credentials', 'Send Authorization or X-API-Key, not both.');
        await check.key(request, reply, 'api');
      },
      async authorize(request, role) {
        const key = request.keyCaller;
        if (!key) return check.role(request, role);
        const place = placeOf(request);
        if (!('tenantId' in place)) throw new ProblemError('not_found');
        // The same answer for each id but that of the key, so it does not show which ids exist.
        if (place.tenantId !== key.tenantId) throw new ProblemError('not_found', OTHER_GAME_DETAIL);
        await admitToData(request);
      },
    },
    walletPlayer: {
      security: [{ walletPlayer: [] }, { gameKey: [], walletPlayer: [] }],
      authenticate: check.walletPlayer,
    },
    /** Reads a tenant's wallet ledger, with its game key or as one of its wallet-linked players. */
    gameKeyOrWalletPlayer: {
      security: [{ gameKey: [] }, { walletPlayer: [] }],
      authenticate: async (request, reply) => {
        if (request.headers.authorization !== undefined) return check.walletPlayer(request, reply);
        await check.key(request, reply, 'game');
      },
    },
    exchangeableToken: {
      security: [
        { gameKey: [], player: [] },
        { gameKey: [], thirdParty: [] },
      ],
      authenticate: check.anyBearer,
    },
    assertion: {
      security: [{ gameKey: [], assertion: [] }],
      authenticate: check.anyBearer,
    },
    /** A game key, or an API key that may read data. Exactly one of the two. */
    gameKeyOrDataKey: {
      security: [{ gameKey: [] }, { apiKey: [] }],
      authenticate: async (request, reply) => {
        refuseBothKeys(request);
        const kind = request.headers['x-api-key'] === undefined ? 'game' : 'api';
        if (kind === 'game' && request.headers['x-game-key'] === undefined)
          throw new ProblemError('missing_game_key', 'Send X-Game-Key or X-API-Key.');
        await check.key(request, reply, kind);
      },
      admit: admitToData,
    },
    /** An API key that may read data. */
    dataKey: {
      security: [{ apiKey: [] }],
      authenticate: async (request, reply) => {
        refuseBothKeys(request);
        await check.key(request, reply, 'api');
      },
      admit: admitToData,
    },
  };
}

/** With both keys the caller is ambiguous, so neither is verified. */
function refuseBothKeys({ headers }: FastifyRequest): void {
  if (headers['x-game-key'] !== undefined && headers['x-api-key'] !== undefined)
    throw new ProblemError('conflicting_credentials', 'Send X-Game-Key or X-API-Key, not both.');
}

async function admitToData({ keyCaller: key }: FastifyRequest): Promise<void> {
  if (key?.kind === 'api' && !key.allowDataApi) throw new ProblemError('data_api_not_allowed');
}

const OTHER_GAME_DETAIL =
  'This API key is of another game than the path. Send an API key of the game in the path, or correct the path.';

const PLAYER_TOKEN_DETAIL =
  'This game key requires the access token of a player. Send it as "Authorization: Bearer <token>". ' +
  'A game server sends a key without requirePlayerToken.';

const UNPROVEN_SESSION_DETAIL =
  'The sign-in method of this portal session was linked without a proof, and this player has signed in to games of several workspaces. ' +
  'Sign in to the portal with another method. This session can only list the method (GET /api/player-profile/me/auth-methods) and remove it.';
