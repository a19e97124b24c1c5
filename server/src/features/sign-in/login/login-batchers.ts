import { billingGroup } from '../../../core/billing-context.ts';
import { now } from '../../../core/timestamps.ts';
import { ProblemError } from '../../../core/problem.ts';
import { createBatcher } from '../../../database/batcher.ts';
import { createContestedWrites } from '../../../database/contested-writes.ts';
import type { Database } from '../../../database/database.ts';
import { refusalOf } from '../../../database/errors.ts';
import { loginRowHashParts } from '../sessions/index.ts';
import { banFingerprint } from './bans.ts';
import { writeFirstLogins, writeKnownLogins, type FirstLogin } from './batch-queries.ts';
import {
  buildLoginRecord,
  buildUnidentifiedLogin,
  type LoginServices,
  type VerifiedSignIn,
} from './login-record.ts';
import {
  writeLogin,
  type FoundPlayer,
  type KnownPlayer,
  type LoginRecord,
  type LoginRefusal,
} from './queries.ts';

/** A player whose login was written, with the refresh token. */
interface SignedIn {
  playerId: string;
  sessionId: string;
  refreshToken: string;
}

type KnownLoginResult = { signedIn: SignedIn } | { found: FoundPlayer };

export interface LoginBatchers {
  /** Signs an existing player in, or returns what was found if the sign-in is new or contested ({@link writeKnownLogins}). */
  signInKnown(signIn: VerifiedSignIn): Promise<KnownLoginResult>;
  /**
   * Writes a sign-in of an existing player that no batch can write. Returns undefined after a conflict with a concurrent sign-in. Throws
   * player_banned and device_blocked.
   */
  signInAlone(signIn: VerifiedSignIn, player: KnownPlayer): Promise<SignedIn | undefined>;
  /** Creates a player and signs the player in. Returns undefined if a concurrent sign-in has created the player. */
  create(signIn: VerifiedSignIn): Promise<SignedIn | undefined>;
  close(): Promise<void>;
}

const groupOf = ({ request }: VerifiedSignIn): string => billingGroup(request.billing);

/** Creates the batchers of sign-ins. */
export function createLoginBatchers(services: LoginServices & { database: Database }): LoginBatchers {
  const { database, vault } = services;
  const known = createBatcher<VerifiedSignIn, KnownLoginResult>({
    groupOf,
    async run(signIns) {
      const { billing } = signIns[0]!.request;
      const { tenantId } = billing;
      const at = now();
      const logins = signIns.map((signIn) => {
        const login = buildUnidentifiedLogin(services, signIn);
        const row = { ...login, tenantId, id: login.ledgerId, occurredAt: at, createdAtGl: at };
        return {
          ...login,
          banFingerprint: banFingerprint(vault, tenantId, signIn.identity),
          hashParts: loginRowHashParts(row),
        };
      });
      const results = await writeKnownLogins(database.forBatch(tenantId), billing, at, logins);
      return results.map((result, place) => {
        if ('found' in result) return { answer: result };
        signIns[place]!.request.billing.chargedTransactions++;
        return { answer: { signedIn: signedInBy({ ...logins[place]!, ...result.signedIn }) } };
      });
    },
  });

  const inTurnOfPlayer = createContestedWrites();
  const signInAlone = (signIn: VerifiedSignIn, player: KnownPlayer): Promise<SignedIn | undefined> => {
    const { billing, inTransaction } = signIn.request;
    const { playerId } = player;
    const login = buildLoginRecord(services, signIn, player);
    return inTurnOfPlayer(playerId, async () => {
      const tenant = database.forKey(billing, playerId);
      try {
        if (inTransaction)
          await tenant.transaction(async (transaction) => {
            await inTransaction(transaction, playerId);
            await writeLogin(transaction, login);
          });
        else await writeLogin(tenant, login);
        return signedInBy(login);
      } catch (error) {
        const refusal = refusalOf(error) as LoginRefusal | undefined;
        if (refusal === 'lost_race') return undefined;
        throw refusal ? new ProblemError(refusal) : error;
      }
    });
  };

  const buildFirstLogin = (signIn: VerifiedSignIn): FirstLogin => ({
    ...buildLoginRecord(services, signIn),
    profileVisibility: signIn.request.profileVisibility ?? 'limited',
  });
  const first = createBatcher<VerifiedSignIn, SignedIn | undefined>({
    groupOf,
    async run(signIns) {
      const { billing } = signIns[0]!.request;
      const logins = signIns.map(buildFirstLogin);
      const created = await writeFirstLogins(database.forBatch(billing.tenantId), billing, logins);
      return logins.map((login, place) => ({ answer: created[place] ? signedInBy(login) : undefined }));
    },
  });
  /** `inTransaction` may refuse the sign-in, and its writes belong to this player. So the statement has a transaction of its own. */
  const createAlone = async (signIn: VerifiedSignIn): Promise<SignedIn | undefined> => {
    const { billing, inTransaction } = signIn.request;
    const login = buildFirstLogin(signIn);
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
    signInKnown: (signIn) => known.submit(signIn),
    signInAlone,
    async create(signIn) {
      const { billing, inTransaction } = signIn.request;
      const created = await (inTransaction ? createAlone(signIn) : first.submit(signIn));
      if (created) billing.chargedTransactions++;
      return created;
    },
    async close() {
      await known.close();
      await first.close();
    },
  };
}

/** What a written login returns. */
const signedInBy = ({ playerId, sessionId, refreshToken }: Pick<LoginRecord, keyof SignedIn>): SignedIn => ({
  playerId,
  sessionId,
  refreshToken: refreshToken.token,
});

/** A concurrent sign-in has created the player. */
class PlayerExistsError extends Error {}
