import { billingGroup } from '../../../core/billing-context.ts';
import { now } from '../../../core/timestamps.ts';
import { createBatcher } from '../../../database/batcher.ts';
import { createContestedWrites, type RunContested } from '../../../database/contested-writes.ts';
import type { Database } from '../../../database/database.ts';
import { newRefreshToken } from '../../../security/refresh-tokens.ts';
import type { Vault } from '../../../security/vault.ts';
import { loginRowHashParts } from '../sessions/index.ts';
import { banFingerprint } from './bans.ts';
import { writeFirstLogins, writeKnownLogins, type FirstLogin } from './batch-queries.ts';
import type { Identity } from './identity.ts';
import { buildLoginDetails, buildLoginRecord } from './login-record.ts';
import type { FoundPlayer } from './queries.ts';
import type { SignInRequest } from './sign-in-request.ts';

/** A player whose login was written, with the refresh token. */
export interface SignedIn {
  playerId: string;
  sessionId: string;
  refreshToken: string;
}

interface LoginItem {
  identity: Identity;
  request: SignInRequest;
}

type NewLogin = FirstLogin & { refreshToken: string };

type Outcome = { signedIn: SignedIn } | { found: FoundPlayer };

export interface LoginBatchers {
  /** Signs an existing player in, or returns what was found if the sign-in is new or contested ({@link writeKnownLogins}). */
  signInKnown(item: LoginItem): Promise<Outcome>;
  /** Creates a player and signs the player in. Returns undefined if a concurrent sign-in has created the player. */
  create(item: LoginItem): Promise<SignedIn | undefined>;
  /** Writes a sign-in of a player that no batch can write. */
  writeAlone: RunContested;
  close(): Promise<void>;
}

const groupOf = ({ request }: LoginItem): string => billingGroup(request.billing);

/** Creates the batchers of sign-ins. */
export function createLoginBatchers(
  database: Database,
  vault: Vault,
  { refreshTokenDays }: { refreshTokenDays: number },
): LoginBatchers {
  const known = createBatcher<LoginItem, Outcome>({
    groupOf,
    async run(items) {
      const { billing } = items[0]!.request;
      const at = now();
      const logins = items.map(({ identity, request }) => {
        const details = buildLoginDetails(vault, identity, request);
        const { tenantId } = billing;
        return {
          ...details,
          identity,
          banFingerprint: banFingerprint(vault, tenantId, identity),
          hashParts: loginRowHashParts({
            ...details,
            tenantId,
            id: details.ledgerId,
            occurredAt: at,
            createdAtGl: at,
          }),
          refreshToken: newRefreshToken(vault, 'refresh', refreshTokenDays),
        };
      });
      const outcomes = await writeKnownLogins(database.forBatch(billing.tenantId), billing, at, logins);
      return outcomes.map((outcome, place) => {
        if ('found' in outcome) return { answer: outcome };
        const { sessionId, refreshToken } = logins[place]!;
        items[place]!.request.billing.chargedTransactions++;
        return { answer: { signedIn: { ...outcome.signedIn, sessionId, refreshToken: refreshToken.token } } };
      });
    },
  });

  const buildFirstLogin = ({ identity, request }: LoginItem): NewLogin => {
    const { token, ...stored } = newRefreshToken(vault, 'refresh', refreshTokenDays);
    const record = buildLoginRecord(vault, undefined, identity, request, now(), stored);
    return {
      ...record,
      identity,
      profileVisibility: request.profileVisibility ?? 'limited',
      refreshToken: token,
    };
  };
  const first = createBatcher<LoginItem, SignedIn | undefined>({
    groupOf,
    async run(items) {
      const { billing } = items[0]!.request;
      const logins = items.map(buildFirstLogin);
      const created = await writeFirstLogins(database.forBatch(billing.tenantId), billing, logins);
      return logins.map((login, place) => ({ answer: created[place] ? signedInBy(login) : undefined }));
    },
  });
  /** `inTransaction` may refuse the sign-in, and its writes belong to this player. So the statement has a transaction of its own. */
  const createAlone = async (item: LoginItem): Promise<SignedIn | undefined> => {
    const { billing, inTransaction } = item.request;
    const login = buildFirstLogin(item);
    try {
      await database.forBatch(billing.tenantId).transaction(async (transaction) => {
        await inTransaction?.(transaction, login.playerId);
        const [isCreated] = await writeFirstLogins(transaction, billing, [login]);
        if (!isCreated) throw new PlayerExistsError();
      });
      return signedInBy(login);
    } catch (error) {
      if (error instanceof PlayerExistsError) return undefined;
      throw error;
    }
  };

  return {
    signInKnown: (item) => known.submit(item),
    async create(item) {
      const { billing, inTransaction } = item.request;
      const created = await (inTransaction ? createAlone(item) : first.submit(item));
      if (created) billing.chargedTransactions++;
      return created;
    },
    writeAlone: createContestedWrites(),
    async close() {
      await known.close();
      await first.close();
    },
  };
}

const signedInBy = ({ playerId, sessionId, refreshToken }: NewLogin): SignedIn => ({
  playerId,
  sessionId,
  refreshToken,
});

/** A concurrent sign-in has created the player. */
class PlayerExistsError extends Error {}
