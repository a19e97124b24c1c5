import type { FastifyReply, FastifyRequest } from 'fastify';
import type {
  AccountCaller,
  BearerCaller,
  KeyCaller,
  KeyKind,
  PlayerCaller,
  WalletCaller,
} from '../../core/callers.ts';
import { ProblemError } from '../../core/problem.ts';
import { includesRole, type Place, type Role } from '../../core/role.ts';
import { clientAddress } from '../client-address.ts';
import { bearerToken, type Confirm } from './credential-scope.ts';
import { refusedBearer, refusedKey, type TokenType } from './refused-credentials.ts';
import { applyRateLimit, limitKeyless, type RateLimiter } from '../traffic/rate-limit.ts';

/**
 * Verifies credentials. Features implement it, and runtime/verifiers.ts wires it. Each function returns undefined for an
 * invalid credential.
 */
export interface Verifiers {
  /** Throws too_many_attempts if the network of the address has tried too many unknown keys. */
  key(kind: KeyKind, key: string, address: string | null): Promise<KeyCaller | undefined>;
  player(token: string): Promise<PlayerCaller | undefined>;
  /** Whether the player still has a profile: false after a merge into another profile. */
  hasProfile(playerId: string): Promise<boolean>;
  /**
   * Whether the token may use the whole profile: false for a portal session of a sign-in method that proves nothing to other
   * workspaces, if games of those know the player.
   */
  mayUseProfile(caller: PlayerCaller): Promise<boolean>;
  /** The wallet-linked player of a platform JWT, in a tenant that is not disabled. */
  wallet(token: string): Promise<WalletCaller | undefined>;
  account(token: string): Promise<AccountCaller | undefined>;
  /** Whether the session of an account has not ended, even if its access token has expired. */
  isOpen(caller: AccountCaller): Promise<boolean>;
  /** Accepts any kind of token, and says which kind it is. */
  bearer(token: string): Promise<BearerCaller | undefined>;
  /** The account's role in a workspace, or in the workspace that owns a tenant. Undefined if it is not a member. */
  role(accountId: string, place: Place): Promise<Role | undefined>;
  /** Whether the account is a platform admin of this deployment. */
  platformAdmin(accountId: string): Promise<boolean>;
}

/** Counts a request on a key for the alerts. */
export type CountRequest = (key: KeyCaller) => void;

/** Creates the checks that credentials are made of. They set the caller of the request, or throw. */
export function createChecks(verify: Verifiers, rateLimits: RateLimiter, countRequest: CountRequest) {
  const check = {
    /** Verifies the key and its rate limit, before anything else in the request. */
    async key(request: FastifyRequest, reply: FastifyReply, kind: KeyKind): Promise<KeyCaller> {
      const caller = await verifyKey(request, kind, verify);
      request.keyCaller = caller;
      countRequest(caller);
      applyRateLimit(reply, 'This key', await rateLimits.count(caller));
      return caller;
    },

    async player(request: FastifyRequest): Promise<PlayerCaller> {
      const caller = await verifyBearer(request, verify.player, 'player');
      request.playerCaller = caller;
      return caller;
    },

    async account(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const caller = await verifyBearer(request, verify.account, 'saas');
      request.accountCaller = caller;
      await limitKeyless(request, reply, rateLimits, { kind: 'account', id: caller.accountId });
    },

    /** A player's token is valid only with a key of its own tenant. */
    async playerOfKey(request: FastifyRequest, key: KeyCaller): Promise<void> {
      requireTenantOf(key, await check.player(request));
    },

    /** Verifies a wallet-linked player. If the request also has a game key, it must belong to the same tenant. */
    async walletPlayer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const hasKey = request.headers['x-game-key'] !== undefined;
      const key = hasKey ? await check.key(request, reply, 'game') : undefined;
      const caller = await verifyBearer(request, verify.wallet, 'wallet');
      if (key) requireTenantOf(key, caller);
      request.walletCaller = caller;
      const id = `${caller.tenantId} ${caller.playerIndex}`;
      if (!key) await limitKeyless(request, reply, rateLimits, { kind: 'player', id });
    },

    /**
     * Assertion endpoints return 403 for a token of another kind, and 401 for an unknown token. An API key is always
     * rejected. See docs/authentication.md.
     */
    async anyBearer(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      if (request.headers['x-api-key'] !== undefined) throw new ProblemError('api_key_not_allowed');
      await check.key(request, reply, 'game');
      request.bearerCaller = await verifyBearer(request, verify.bearer);
    },

    /** Returns 404 for a workspace or tenant of others, as if it did not exist. */
    async role(request: FastifyRequest, role: Role): Promise<void> {
      const actual = await verify.role(request.accountCaller!.accountId, placeOf(request));
      if (!actual) throw new ProblemError('not_found');
      if (!includesRole(actual, role))
        throw new ProblemError(
          'forbidden',
          `This operation needs the role ${role}. Ask an owner of the workspace for it.`,
        );
      request.accountRole = actual;
    },
  };
  return check;
}

/**
 * Creates the second check of the keys and tokens of a request, which is not counted. Throws a 401 problem if one was revoked
 * meanwhile, or the session of an account has ended. Access tokens of players are valid until they expire, so they are not verified again.
 */
export function createConfirmation(verify: Verifiers): Confirm {
  return async (request) => {
    const { keyCaller, accountCaller, walletCaller } = request;
    if (keyCaller) request.keyCaller = await verifyKey(request, keyCaller.kind, verify);
    // An access token lasts for minutes, and an export for hours.
    if (accountCaller && !(await verify.isOpen(accountCaller))) throw new ProblemError('invalid_bearer');
    if (walletCaller) await verifyBearer(request, verify.wallet, 'wallet');
  };
}

/** The tenant or workspace that the path of a request names. */
export function placeOf(request: FastifyRequest): Place {
  return request.params as Place;
}

/** Throws invalid_bearer if a verified token is not of the tenant of the key: of another one, or of the player portal. */
function requireTenantOf(key: KeyCaller, { tenantId }: { tenantId: string | null }): void {
  if (tenantId !== key.tenantId)
    throw new ProblemError(
      'invalid_bearer',
      'The bearer token and the key are of different games. Send a token of a sign-in with this key.',
    );
}

/** Returns the caller of the key. Throws missing_game_key, missing_api_key, invalid_game_key and invalid_api_key. */
async function verifyKey(request: FastifyRequest, kind: KeyKind, verify: Verifiers): Promise<KeyCaller> {
  const header = request.headers[kind === 'game' ? 'x-game-key' : 'x-api-key'];
  if (typeof header !== 'string' || header === '')
    throw new ProblemError(kind === 'game' ? 'missing_game_key' : 'missing_api_key');
  const caller = await verify.key(kind, header, clientAddress(request));
  if (!caller) throw refusedKey(kind, header);
  return caller;
}

/**
 * Returns the caller of the bearer token. `expected` is the type of token that the caller needs, if there is one. Throws missing_bearer
 * and invalid_bearer.
 */
async function verifyBearer<Caller>(
  request: FastifyRequest,
  verify: (token: string) => Promise<Caller | undefined>,
  expected?: TokenType,
): Promise<Caller> {
  const token = bearerToken(request);
  if (!token) throw new ProblemError('missing_bearer');
  const caller = await verify(token);
  if (!caller) throw refusedBearer(token, expected);
  return caller;
}
