import type { Database, Querier, Scope } from '../../../database/database.ts';
import { newId } from '../../../core/ids.ts';
import type { MailBudget } from './mail-limits.ts';
import { findRecentCode, replaceCode, type SentCode } from './queries.ts';

/** A code lives for 10 minutes, and may be replaced by another one after 30 seconds. */
const LIFETIME_SECONDS = 10 * 60;
const RESEND_SECONDS = 30;

export interface OpenCodeServices {
  database: Database;
  mailBudget: MailBudget;
}

/**
 * Opens a code for an address, in place of any other one, and makes a pending player of it where nobody has it. Whether somebody
 * has it changes neither the answer nor the work. Within 30 seconds of a code the answer is about that one, and none is opened.
 * `mail` sees to it, in the same transaction, that the code is made and mailed. Throws too_many_attempts.
 */
export async function createCode(
  { mailBudget }: Pick<OpenCodeServices, 'mailBudget'>,
  home: {
    tenantId: string;
    scope: Scope;
    /** Counts the mail. Throws too_many_attempts. */
    spend: (transaction: Querier, tenantId: string, email: string) => Promise<'send' | 'hold'>;
  },
  { email, ipAddress }: { email: string; ipAddress: string | null },
  mail: (transaction: Querier, codeId: string, verdict: 'send' | 'hold') => Promise<void>,
): Promise<SentCode> {
  await mailBudget.spend(ipAddress, email);
  const which = { tenantId: home.tenantId, email, resendSeconds: RESEND_SECONDS };
  for (;;) {
    try {
      return await home.scope.transaction(async (transaction) => {
        const recent = await findRecentCode(transaction, which);
        if (recent) return recent;
        const verdict = await home.spend(transaction, home.tenantId, email);
        const code = await replaceCode(transaction, {
          ...which,
          id: newId(),
          lifetimeSeconds: LIFETIME_SECONDS,
        });
        if (!code) throw new CodeReplacedError();
        await mail(transaction, code.id, verdict);
        return code;
      });
    } catch (error) {
      if (!(error instanceof CodeReplacedError)) throw error;
    }
  }
}

/** Another request has just opened a code: the answer is about that, and the mail that was counted is not sent. */
class CodeReplacedError extends Error {}
