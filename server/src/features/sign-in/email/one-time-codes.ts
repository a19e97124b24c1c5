import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { Database, Querier, Scope } from '../../../database/database.ts';
import type { GuessThrottle } from '../../../security/guess-throttle.ts';
import type { Vault } from '../../../security/vault.ts';
import { newId } from '../../../core/ids.ts';
import { ProblemError } from '../../../core/problem.ts';
import { sendMail, type EmailContent, type MailServices } from '../../messages/mail/index.ts';
import type { Identity } from '../login/index.ts';
import {
  countAttempt,
  findRecentCode,
  replaceCode,
  setCode,
  type CodeKey,
  type SentCode,
} from './code-queries.ts';
import type { MailBudget, MailDecision } from './mail-limits.ts';

export interface CreateCodeServices {
  database: Database;
  mailBudget: MailBudget;
}

export interface CheckCodeServices {
  database: Database;
  vault: Vault;
  codeThrottle: GuessThrottle;
}

/** The tenant or the player portal that a code belongs to. */
export interface CodeIssuer {
  tenantId: string;
  scope: Scope;
  /** Counts the email. Throws too_many_attempts. */
  spend: (transaction: Querier, tenantId: string, email: string) => Promise<MailDecision>;
}

/**
 * Creates a code for an address and replaces the earlier one. If no player has the address, it becomes a pending address. The
 * response and the work are the same for every address. Within 30 seconds of a code the function returns that code and creates none.
 * `mail` runs in the same transaction, and must generate and send the code. Throws too_many_attempts.
 */
export async function createCode(
  { mailBudget }: CreateCodeServices,
  issuer: CodeIssuer,
  { email, ipAddress }: { email: string; ipAddress: string | null },
  mail: (transaction: Querier, codeId: string, decision: MailDecision) => Promise<unknown>,
): Promise<SentCode> {
  const key = { tenantId: issuer.tenantId, email };
  const attempt = () =>
    issuer.scope.transaction(async (transaction) => {
      const recent = await findRecentCode(transaction, key);
      if (recent) return { code: recent, isSent: false };
      const decision = await issuer.spend(transaction, issuer.tenantId, email);
      const code = await replaceCode(transaction, { ...key, id: newId() });
      if (!code) throw new CodeReplacedError();
      await mail(transaction, code.id, decision);
      return { code, isSent: true };
    });
  const { code } = await mailBudget.count(ipAddress, email, async () => {
    for (;;)
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof CodeReplacedError)) throw error;
      }
  });
  return code;
}

/** A concurrent request created a code. The rollback takes the counted email back, and the retry returns that code. */
class CodeReplacedError extends Error {}

/**
 * Generates the digits of a created code and mails them. Does nothing if the code has digits, was replaced or has expired. The digits
 * of a held mail match nothing: otherwise each further tenant would allow more guesses at a code that nobody receives.
 */
export async function mailCode(
  services: MailServices,
  transaction: Querier,
  key: { tenantId: string; email: string; codeId: string },
  write: (code: string) => EmailContent,
  decision: MailDecision = 'send',
): Promise<void> {
  const code = randomInt(1_000_000).toString().padStart(6, '0');
  const isHeld = decision === 'hold';
  const codeHash = isHeld ? randomBytes(32) : hashCode(services.vault, key, code);
  const stored = await setCode(transaction, { ...key, codeHash });
  if (!stored) return;
  await sendMail(services, transaction, {
    to: key.email,
    content: write(code),
    usefulSeconds: stored.secondsLeft,
    isHeld,
  });
}

/**
 * Compares a given code with the stored one, of a tenant or of the portal. Returns its id. The caller then deletes the code. The attempt is
 * counted first, so parallel guesses share the limit of five. A network that has guessed too often uses up no attempts of others. Throws
 * invalid_credentials and too_many_attempts.
 */
export async function checkCode(
  { database, vault, codeThrottle }: CheckCodeServices,
  tenantId: string,
  { code, ipAddress, ...key }: CodeKey & { code: string; ipAddress: string | null },
): Promise<string> {
  const { email } = key;
  const codeId = await codeThrottle.attempt(email, ipAddress, async () => {
    const stored = await countAttempt(database.forTenant(tenantId), tenantId, key);
    const given = hashCode(vault, { tenantId, email }, code);
    return stored?.codeHash && timingSafeEqual(stored.codeHash, given) ? stored.codeId : undefined;
  });
  if (codeId === undefined) throw invalidCode();
  return codeId;
}

/** One error for every reason, so that it discloses nothing. */
export function invalidCode(): ProblemError {
  return new ProblemError(
    'invalid_credentials',
    'The code is wrong, was used, or has expired. Check it, or request a new one.',
  );
}

/** A code proves control of the address, so the address is the user id. */
export function emailCodeIdentity(email: string) {
  return {
    provider: 'EmailOneTimeCode',
    issuer: '',
    providerUserId: email,
    email,
  } as const satisfies Identity;
}

/** The hash covers the tenant and the address: the same digits do not match for another tenant or address. */
function hashCode(
  vault: Vault,
  { tenantId, email }: { tenantId: string; email: string },
  code: string,
): Buffer {
  return vault.fingerprint(`one-time code ${tenantId} ${email} ${code}`);
}
