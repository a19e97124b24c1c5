import { Command } from 'commander';
import { withDatabaseAt } from '../database/database.ts';
import { promoteByOperator, resetByOperator } from '../features/studio/accounts/index.ts';
import { hashPassword, newPassword } from '../security/passwords.ts';
import { UsageError, withStorage } from './command.ts';
import { normaliseEmail } from './email.ts';

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

async function resetPassword(url: string, email: string, removeTotp: boolean): Promise<void> {
  const password = newPassword();
  const reset = { email, passwordHash: await hashPassword(password, null), removeTotp };
  const isReset = await withDatabaseAt(url, (database) =>
    database.transaction((transaction) => resetByOperator(transaction, reset)),
  );
  if (!isReset) throw new UsageError(`No account has the address ${email}.`);
  console.log(
    `The new password of ${email} is ${password}. It is not shown again. Change it after the first login.`,
  );
}

async function promote(url: string, email: string): Promise<void> {
  const outcome = await withDatabaseAt(url, (database) =>
    database.transaction((transaction) => promoteByOperator(transaction, email)),
  );
  if (outcome === 'unknown') throw new UsageError(`No account has the address ${email}.`);
  if (outcome === 'unverified')
    throw new UsageError(
      `The address ${email} is not verified, so the account may be a stranger's. Verify it, or run: guildhall accounts ` +
        `reset-password --email ${email}`,
    );
  console.log(`${email} is a platform administrator now.`);
}
