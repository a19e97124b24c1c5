import addFormats from 'ajv-formats';
import { Command } from 'commander';
import { withDatabaseAt } from '../database/database.ts';
import { SYSTEM } from '../core/author.ts';
import { newId } from '../core/ids.ts';
import { ProblemError } from '../core/problem.ts';
import { createFirstAdmin, promoteByOperator, resetByOperator } from '../features/studio/accounts/index.ts';
import { prepareDatabase } from '../runtime/prepare-database.ts';
import { hashPassword, newPassword } from '../security/passwords.ts';
import { UsageError, withStorage } from './command.ts';

export const bootstrapCommand = new Command('bootstrap')
  .description('create the first platform administrator')
  .requiredOption('--email <address>', 'its email address')
  .action(({ email }: { email: string }) => bootstrap(email));

export const accountsCommand = new Command('accounts').description('manage the accounts of the console');

accountsCommand
  .command('reset-password')
  .description('set a new password for an account, end its sessions, and print the password once')
  .requiredOption('--email <address>', 'the email address of the account')
  .option('--remove-totp', 'remove its second factor too', false)
  .action(({ email, removeTotp }: { email: string; removeTotp: boolean }) => {
    const address = normaliseEmail(email);
    return withStorage((url) => resetPassword(url, address, removeTotp));
  });

accountsCommand
  .command('promote')
  .description('make an account a platform administrator')
  .requiredOption('--email <address>', 'the email address of the account')
  .action(({ email }: { email: string }) => {
    const address = normaliseEmail(email);
    return withStorage((url) => promote(url, address));
  });

async function bootstrap(given: string): Promise<void> {
  const email = normaliseEmail(given);
  await withStorage(
    async (url) => {
      await prepareDatabase(url);
      await createAdministrator(url, email);
    },
    { mustBeMigrated: false },
  );
}

async function createAdministrator(url: string, email: string): Promise<void> {
  const password = newPassword();
  const account = { id: newId(), email, passwordHash: await hashPassword(password), displayName: null };
  const created = await withDatabaseAt(url, (database) =>
    database.transaction((transaction) => createFirstAdmin(transaction, SYSTEM, account)),
  ).catch((error: unknown) => {
    if (!(error instanceof ProblemError && error.code === 'email_taken')) throw error;
    throw new UsageError(
      `${email} has an account already. To make it the administrator, run: guildhall accounts reset-password ` +
        `--email ${email}, and then: guildhall accounts promote --email ${email}`,
    );
  });
  if (!created)
    throw new UsageError(
      'This database already has a platform administrator. To add another, run: guildhall accounts promote --email <address>',
    );
  console.log(`Created the administrator ${email}. Save the password, it is not shown again: ${password}`);
}

async function resetPassword(url: string, email: string, removeTotp: boolean): Promise<void> {
  const password = newPassword();
  const reset = { email, passwordHash: await hashPassword(password), removeTotp };
  const isReset = await withDatabaseAt(url, (database) =>
    database.transaction((transaction) => resetByOperator(transaction, SYSTEM, reset)),
  );
  if (!isReset) throw new UsageError(`No account has the address ${email}.`);
  console.log(
    `The new password of ${email} is ${password}. It is not shown again. Change it after the first login.`,
  );
}

async function promote(url: string, email: string): Promise<void> {
  const outcome = await withDatabaseAt(url, (database) =>
    database.transaction((transaction) => promoteByOperator(transaction, SYSTEM, email)),
  );
  if (outcome === 'unknown') throw new UsageError(`No account has the address ${email}.`);
  if (outcome === 'unverified')
    throw new UsageError(
      `The address ${email} is not verified, so the account may be a stranger's. Verify it, or run: guildhall accounts ` +
        `reset-password --email ${email}`,
    );
  console.log(`${email} is a platform administrator now.`);
}

/** An email address in the form that accounts have: trimmed and lower-case. Throws {@link UsageError}. */
function normaliseEmail(text: string): string {
  const email = text.trim().toLowerCase();
  const format = addFormats.default.get('email') as RegExp;
  if (email.length > 254 || !format.test(email)) throw new UsageError(`"${text}" is not an email address.`);
  return email;
}
