import { Command } from 'commander';
import { withDatabaseAt } from '../database/database.ts';
import { newId } from '../core/ids.ts';
import { ProblemError } from '../core/problem.ts';
import { createFirstAdmin } from '../features/studio/accounts/index.ts';
import { prepareDatabase } from '../runtime/prepare-database.ts';
import { hashPassword, newPassword } from '../security/passwords.ts';
import { UsageError, withStorage } from './command.ts';
import { normaliseEmail } from './email.ts';

export const bootstrapCommand = new Command('bootstrap')
  .description('create the first platform administrator')
  .requiredOption('--email <address>', 'its email address')
  .action(({ email }: { email: string }) => bootstrap(email));

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
  const account = { id: newId(), email, passwordHash: await hashPassword(password, null), displayName: null };
  const created = await withDatabaseAt(url, (database) =>
    database.transaction((transaction) => createFirstAdmin(transaction, account)),
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
