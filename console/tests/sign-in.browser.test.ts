import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  accountClient,
  ACCOUNT_PASSWORD,
  authenticatorCode,
} from '../../server/src/testing/account-client.ts';
import { openDatabase } from '../../server/src/database/database.ts';
import { createSignInLink } from '../../server/src/features/studio/accounts/index.ts';
import { arrangeAccount, arrangePlayer } from '../../server/src/testing/arrange.ts';
import { arrangeInvitation } from '../../server/src/testing/invitations.ts';
import { someEmail } from '../../server/src/testing/mailbox.ts';
import { startTestWorker } from '../../server/src/testing/test-app.ts';
import { vault } from '../../server/src/testing/test-vault.ts';
import type { Locator, Page } from 'playwright-core';
import { assertAccessible, becomes, countBecomes, dialogCloses, startStudio } from './browser.ts';

const studio = await startStudio();
const accounts = await accountClient(studio.app);
// It mails the links of password resets.
await startTestWorker(studio.app);

const signIn = async (page: Page, email: string, password = ACCOUNT_PASSWORD) => {
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

/** Presses a button twice before the page can disable it, as on a slow device. */
const pressTwice = (button: Locator): Promise<void> =>
  button.evaluate((element: HTMLElement) => {
    element.click();
    element.click();
  });

/** The path of the page that the newest mail to an address links to. */
async function mailedLink(email: string): Promise<string> {
  const [mail] = await accounts.mailsTo(email);
  const { pathname, hash } = new URL(/^http\S+$/m.exec(mail!.text)![0]);
  return pathname + hash;
}

describe('sign-in', () => {
  test('asks for a sign-in and returns to the page that was asked for', async () => {
    const page = await studio.visit(`${studio.game}/players?search=ada`);
    await page.waitForURL('**/sign-in?**');
    await assertAccessible(page, 'sign-in');
    await signIn(page, studio.owner.email);
    await page.waitForURL(`**${studio.game}/players?search=ada`);
    await page.getByRole('heading', { name: 'Players', exact: true }).waitFor();
  });

  test('lasts as long as the page if the browser blocks its storage', async () => {
    const page = await studio.visit('/sign-in');
    await page.addInitScript(() =>
      Object.defineProperty(window, 'localStorage', {
        get: () => {
          throw new DOMException('The operation is insecure.', 'SecurityError');
        },
      }),
    );
    await page.reload();
    await signIn(page, studio.owner.email);
    await page.getByRole('heading', { name: 'Overview' }).waitFor({ timeout: 20_000 });
    await page.context().close();
  });

  test('shows why a wrong password is refused, with the request id', async () => {
    const page = await studio.visit('/sign-in');
    await signIn(page, studio.owner.email, 'wrong password');
    const alert = page.getByRole('alert');
    await alert.getByText(/wrong/).waitFor();
    await countBecomes(alert.getByRole('button', { name: /: copy$/ }), 1);
  });

  test('follows no address of another server after the sign-in', async () => {
    for (const next of ['//evil.example', 'https://evil.example', String.raw`/\evil.example`]) {
      const page = await studio.visit(`/sign-in?next=${encodeURIComponent(next)}`);
      await signIn(page, studio.owner.email);
      await page.waitForURL(`**${studio.game}`);
    }
  });

  test('asks for the second factor and accepts a recovery code', async () => {
    const { email, secret, recoveryCodes, ...account } = await accounts.signUpWithTotp();
    await accounts.allowCodesAgain(account);
    const page = await studio.visit('/sign-in');
    await signIn(page, email);
    await page.getByLabel('6-digit code').fill(authenticatorCode(secret));
    await page.waitForURL('**/workspaces');

    const other = await studio.visit('/sign-in');
    await signIn(other, email);
    await other.getByRole('button', { name: 'Use a recovery code' }).click();
    await other.getByLabel('Recovery code').fill(recoveryCodes[0]!);
    await other.getByRole('button', { name: 'Continue' }).click();
    await other.waitForURL('**/workspaces');
  });
});

describe('the end of a session', () => {
  const signOut = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
  };

  test('leaves the pages of all tabs, and restores the pages and typed text after a sign-in in one tab', async () => {
    const page = await studio.open(studio.game);
    const second = await page.context().newPage();
    await second.goto(`${studio.game}/keys?revoked=true`);
    await second.getByRole('button', { name: 'Create a game key' }).click();
    await second.getByLabel('Name').fill('Build 10');
    await second.getByLabel('Requests per minute', { exact: true }).fill('600');
    await signOut(page);
    await page.waitForURL('**/sign-in');
    await second.getByText(/^Your session has ended.* Your input is kept. Open the form again\.$/).waitFor();
    await assertAccessible(second, 'sign-in after the end of a session');

    await signIn(page, studio.owner.email);
    await second.waitForURL(`**${studio.game}/keys?revoked=true`);
    await second.getByRole('button', { name: 'Create a game key' }).click();
    await becomes(() => second.getByLabel('Name').inputValue(), 'Build 10');
    await becomes(() => second.getByLabel('Requests per minute', { exact: true }).inputValue(), '600');
    await second.getByRole('button', { name: 'Create the key' }).click();
    await second.getByRole('button', { name: 'I saved the key' }).click();
    await second.getByRole('button', { name: 'Create a game key' }).click();
    await becomes(() => second.getByLabel('Name').inputValue(), '');
  });

  test('keeps typed text for the same account only, and no passwords', async () => {
    const { email } = await accounts.signUpVerified();
    const page = await studio.open(studio.game);
    const [settings, account] = [await page.context().newPage(), await page.context().newPage()];
    await settings.goto(`${studio.game}/settings`);
    await settings.getByRole('textbox', { name: 'Name' }).fill('Undertow');
    await account.goto('/account');
    const newPassword = account.getByRole('textbox', { name: 'New password' });
    await newPassword.fill('another horse battery');
    await signOut(page);
    await page.waitForURL('**/sign-in');
    await settings.getByText(/Your input is kept/).waitFor();
    await account.getByText(/^Your session has ended/).waitFor();
    await countBecomes(account.getByText(/Your input is kept/), 0);

    await signIn(page, email);
    await page.waitForURL('**/workspaces');
    await account.waitForURL('**/account');
    await settings.getByRole('heading', { name: 'This game does not exist' }).waitFor();
    await signOut(page);
    await page.waitForURL('**/sign-in');
    await signIn(page, studio.owner.email);
    const name = settings.getByRole('textbox', { name: 'Name' });
    await name.waitFor();
    assert.equal(await name.inputValue(), 'Tidewater');
    await newPassword.waitFor();
    assert.equal(await newPassword.inputValue(), '');
  });

  test('leaves the page when the account in another tab is a different one', async () => {
    const page = await studio.open(`${studio.game}/keys`);
    const { email } = await accounts.signUpVerified();
    const second = await page.context().newPage();
    await second.goto('/sign-in');
    await signIn(second, email);
    await second.waitForURL('**/workspaces');
    await page.getByText(/^Your session has ended/).waitFor();
  });

  test('shows no page before the account is read again after the next sign-in', async () => {
    const page = await studio.open(`${studio.game}/players`, { role: 'platformAdmin' });
    await page.getByRole('heading', { level: 1, name: 'Players' }).waitFor();
    await signOut(page);
    await page.waitForURL('**/sign-in');
    const answer = Promise.withResolvers<void>();
    await page.route('**/api/saas-auth/me', async (route) => {
      await answer.promise;
      await route.continue();
    });
    const isAsked = page.waitForRequest('**/api/saas-auth/me');
    await signIn(page, studio.owner.email);
    await isAsked;
    await page.getByRole('heading', { name: 'Loading…' }).waitFor();
    assert.equal(await page.getByRole('navigation', { name: 'Pages' }).count(), 0);
    answer.resolve();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  test('stays when a gateway answers 401 instead of the server', async () => {
    const page = await studio.open(`${studio.game}/keys`);
    await page.route('**/players?**', (route) =>
      route.fulfill({ status: 401, contentType: 'text/html', body: '<p>Sign in to the network.</p>' }),
    );
    await page.getByRole('link', { name: 'Players' }).click();
    await page.getByText(/^The network answered instead of the server/).waitFor();
    await countBecomes(page.getByText(/^Your session has ended/), 0);
  });

  test('lets a tab continue that was opened at the sign-in itself', async () => {
    const page = await studio.visit('/sign-in?next=/account');
    const second = await page.context().newPage();
    await second.goto('/sign-in');
    await second.getByLabel('Email').waitFor();
    await page.bringToFront();
    await signIn(page, studio.owner.email);
    await page.waitForURL('**/account');
    await second.waitForURL(`**${studio.game}`);
  });

  test('leaves the page when the password is changed on another device', async () => {
    const { email } = await accounts.signUpVerified();
    const page = await studio.visit('/sign-in?next=/workspaces');
    await signIn(page, email);
    await page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();
    const other = await studio.visit('/sign-in?next=/account');
    await signIn(other, email);
    const password = other.locator('section', { hasText: 'Change the password' });
    await password.getByRole('textbox', { name: 'Current password' }).fill(ACCOUNT_PASSWORD);
    await password.getByRole('textbox', { name: 'New password' }).fill('another horse battery');
    await other.getByRole('button', { name: 'Change the password' }).click();
    await other.getByText(/^The password is changed/).waitFor();
    await page.getByText(/^Your session has ended/).waitFor();
  });

  test('asks about unsaved changes before the sign-out', async () => {
    const page = await studio.open(`${studio.game}/settings`);
    await page.getByRole('textbox', { name: 'Name' }).fill('Undertow');
    await signOut(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await dialogCloses(page);
    await page.getByRole('heading', { name: 'Game settings' }).waitFor();
    await signOut(page);
    await page.getByRole('button', { name: 'Discard the changes' }).click();
    await page.waitForURL('**/sign-in');
    await becomes(
      () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('guildhall.admin'))),
      [],
    );
  });
});

describe('a changed role', () => {
  test('hides actions that the role no longer allows, and the whole workspace after the membership has ended', async () => {
    const { email, id } = await accounts.signUpVerified();
    const { workspaceId } = studio.tenant;
    await studio.app.owner.query(
      `INSERT INTO memberships (workspace_id, account_id, role) VALUES ($1, $2, 'admin')`,
      [workspaceId, id],
    );
    const owner = await arrangeAccount(studio.app, studio.tenant, 'owner');
    const page = await studio.visit(`/sign-in?next=${studio.game}/keys`);
    await signIn(page, email);
    const create = page.getByRole('button', { name: 'Create a game key' });
    await create.click();
    await page.getByLabel('Name').fill('Build 11');
    const demoted = await studio.app.http.patch(
      `/api/workspaces/${workspaceId}/members/${id}`,
      { role: 'viewer' },
      owner,
    );
    assert.equal(demoted.status, 200, demoted.text);
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('dialog').getByText(/role/).waitFor();
    await create.waitFor({ state: 'detached' });

    await page.goto(`${studio.game}/players?search=ben`);
    const search = page.getByRole('searchbox', { name: 'Name, id, provider id or email' });
    await search.waitFor();
    const removed = await studio.app.http.delete(`/api/workspaces/${workspaceId}/members/${id}`, owner);
    assert.equal(removed.status, 204, removed.text);
    // The field is gone if a request of the page that was not answered yet has noticed it first.
    void search.fill('ada').catch(() => {});
    await page.getByRole('heading', { name: 'This game does not exist' }).waitFor();
  });
});

describe('account', () => {
  test('creates an account, and verifies its address with the link of the mail', async () => {
    const email = someEmail();
    const page = await studio.visit('/sign-up');
    await page.getByLabel('Email').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill('short');
    await page.getByRole('button', { name: 'Create the account' }).click();
    await page.getByText('Use 8 to 128 characters.').waitFor();
    await page.getByRole('textbox', { name: 'Password' }).fill(ACCOUNT_PASSWORD);
    await assertAccessible(page, 'sign-up');
    await page.getByRole('button', { name: 'Create the account' }).click();
    await page.waitForURL('**/workspaces');
    await page.getByText(`Open the link in the email to ${email} to verify your address.`).waitFor();
    await page.getByRole('button', { name: 'Send the email again' }).click();
    await page.getByRole('button', { name: 'Email sent' }).waitFor();
    await page.goto('/account');
    const factor = page.locator('section', { hasText: 'Second factor' });
    await factor.getByRole('textbox', { name: 'Your password' }).fill(ACCOUNT_PASSWORD);
    await factor.getByRole('button', { name: 'Add a second factor' }).click();
    await page.getByText('Verify your email address first: open the link').waitFor();

    await page.goto(await mailedLink(email));
    let requests = 0;
    page.on('request', (request) => (requests += Number(request.url().endsWith('/email/verify'))));
    await pressTwice(page.getByRole('button', { name: 'Verify' }));
    await page.getByText(`${email} is verified.`).waitFor();
    assert.equal(requests, 1);
    await page.goto('/workspaces');
    await page.getByText('No workspace yet').waitFor();
    await countBecomes(page.getByText('Open the link in the email'), 0);
    await page.route('**/api/workspaces', (route) => route.abort());
    await page.getByRole('textbox', { name: 'Name' }).fill('Harbor');
    await page.getByRole('button', { name: 'Create the workspace' }).click();
    await page
      .getByRole('alert')
      .getByText(/^The request may have taken effect/)
      .waitFor();
  });

  test('accepts an invitation, which is looked up once', async () => {
    const email = someEmail();
    const { token } = await arrangeInvitation(studio.app, studio.tenant, { email });
    const page = await studio.visit(`/invitation#token=${token}`);
    await page.getByRole('heading', { name: 'Join Harbor Games' }).waitFor();
    let lookUps = 0;
    page.on('request', (request) => (lookUps += Number(request.url().endsWith('/invitations/look-up'))));
    await page.getByRole('textbox', { name: 'Password' }).fill(ACCOUNT_PASSWORD);
    await page.getByRole('button', { name: 'Join the workspace' }).click();
    await page.getByRole('heading', { name: 'Harbor Games', exact: true }).waitFor();
    assert.equal(lookUps, 0, 'after the page has shown the invitation');
  });

  test('accepts an invitation, which is looked up once, while another account is signed in', async () => {
    const { email } = await accounts.signUpVerified();
    const { token } = await arrangeInvitation(studio.app, studio.tenant, { email });
    const page = await studio.open('/account');
    const second = await page.context().newPage();
    let lookUps = 0;
    second.on('request', (request) => (lookUps += Number(request.url().endsWith('/invitations/look-up'))));
    await second.goto(`/invitation#token=${token}`);
    await second.getByRole('textbox', { name: 'Password' }).fill(ACCOUNT_PASSWORD);
    await second.getByRole('button', { name: 'Join the workspace' }).click();
    await second.getByRole('heading', { name: 'Harbor Games', exact: true }).waitFor();
    assert.equal(lookUps, 1);
  });

  test('accepts an invitation with one click after the sign-in with a second factor, and sends its token to no address', async () => {
    const { email, secret, ...account } = await accounts.signUpWithTotp();
    await accounts.allowCodesAgain(account);
    const { token } = await arrangeInvitation(studio.app, studio.tenant, { email });
    const page = await studio.visit(`/invitation#token=${token}`);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url(), request.headers()['referer'] ?? ''));
    await page.getByRole('link', { name: 'sign in' }).click();
    await page.reload();
    await signIn(page, email);
    await page.getByLabel('6-digit code').fill(authenticatorCode(secret));
    await page.getByText(`You are signed in as ${email}.`).waitFor();
    await assertAccessible(page, 'an invitation of the signed-in account');
    await countBecomes(page.getByRole('textbox'), 0);
    await page.getByRole('button', { name: 'Join the workspace' }).click();
    await page.getByRole('heading', { name: 'Harbor Games', exact: true }).waitFor();
    // A browser also names the fragment, which it does not send.
    assert.deepEqual(
      sent.filter((url) => url.split('#')[0]!.includes(token)),
      [],
    );
    assert.ok(!page.url().includes(token));
  });

  test('asks for the password again if the account signs out in another tab', async () => {
    const { email } = await accounts.signUpVerified();
    const { token } = await arrangeInvitation(studio.app, studio.tenant, { email });
    const page = await studio.visit('/sign-in');
    await signIn(page, email);
    await page.getByRole('button', { name: 'Account', exact: true }).waitFor();
    const invited = await page.context().newPage();
    await invited.goto(`/invitation#token=${token}`);
    await invited.getByText(`You are signed in as ${email}.`).waitFor();
    await page.getByRole('button', { name: 'Account', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await invited.getByRole('textbox', { name: 'Password of your account' }).waitFor();
    await invited.close();
  });

  test('shows an invitation after a failure, and after a link that does not work', async () => {
    const { token } = await arrangeInvitation(studio.app, studio.tenant, { email: someEmail() });
    const page = await studio.visit('/sign-in');
    let isAway = true;
    await page.route('**/invitations/look-up', (route) =>
      isAway
        ? route.fulfill({ status: 500, json: { code: 'internal_error', detail: 'It failed.' } })
        : route.continue(),
    );
    await page.goto(`/invitation#token=${token}`);
    await page.getByText('It failed.').waitFor();
    isAway = false;
    await page.getByRole('button', { name: 'Show the invitation' }).click();
    await page.getByRole('heading', { name: 'Join Harbor Games' }).waitFor();

    // The same tab then gets a link that differs in the fragment alone.
    await page.goto('/invitation#token=old');
    await page.getByRole('alert').waitFor();
    await page.goto(`/invitation#token=${token}`);
    await page.getByRole('heading', { name: 'Join Harbor Games' }).waitFor();
  });

  test('takes the token of a second link to verify an address', async () => {
    const page = await studio.visit('/verify-email#token=old');
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('alert').waitFor();
    await page.goto('/verify-email#token=new');
    await becomes(() => page.getByLabel('Token from the email').inputValue(), 'new');
    await countBecomes(page.getByRole('alert'), 0);
  });

  test('resets a password with the link of the mail', async () => {
    const { email } = await accounts.signUpVerified();
    const page = await studio.visit('/reset-password');
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByRole('heading', { name: 'Read your email' }).waitFor();
    await becomes(async () => (await mailedLink(email)).includes('/reset-password#'), true);
    await page.goto(await mailedLink(email));
    await page.getByRole('textbox', { name: 'New password' }).fill('another horse battery');
    await pressTwice(page.getByRole('button', { name: 'Set the password' }));
    await page.getByText(`${email} has a new password.`).waitFor();
    // While the next page loads, this one does not change back to its first step.
    const { promise: loading, resolve: load } = Promise.withResolvers<void>();
    await page.route('**/assets/SignInPage-*', async (route) => {
      await loading;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.waitForFunction(() => location.pathname === '/sign-in');
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    await countBecomes(page.getByRole('button', { name: 'Send the link' }), 0);
    load();
    await signIn(page, email, 'another horse battery');
    await page.waitForURL('**/workspaces');
  });

  test('adds a second factor with a scannable code and shows the recovery codes once', async () => {
    const { email } = await accounts.signUpVerified();
    const page = await studio.visit('/sign-in?next=/account');
    await signIn(page, email);
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    const factor = page.locator('section', { hasText: 'Second factor' });
    await factor.getByRole('textbox', { name: 'Your password' }).fill(ACCOUNT_PASSWORD);
    await factor.getByRole('button', { name: 'Add a second factor' }).click();
    await page.getByAltText('QR code for the authenticator app').waitFor();
    const secret = await page.getByRole('region', { name: 'Secret' }).innerText();
    await page.getByLabel('6-digit code of the app').fill(authenticatorCode(secret.trim()));
    // The codes appear even if the page learns the new state of the account first, and its list of sessions is slow.
    const { promise: listing, resolve: list } = Promise.withResolvers<void>();
    await page.route('**/api/saas-auth/sessions?*', async (route) => {
      await listing;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Turn the second factor on' }).click();
    const codes = page.getByRole('region', { name: 'Recovery codes' });
    await becomes(async () => (await codes.innerText()).trim().split('\n').length, 10);
    list();
    await page.getByRole('link', { name: 'Workspaces' }).click();
    const question = page.getByRole('dialog', { name: 'Leave this page' });
    await question.getByText('The recovery codes stay valid, but are not shown again.').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'I saved the codes' }).click();
    await factor.getByText('On', { exact: true }).waitFor();
  });

  test('lists sessions and ends another one', async () => {
    const { email } = await accounts.signUpVerified();
    const page = await studio.visit('/sign-in?next=/account');
    await signIn(page, email);
    await page.getByRole('row', { name: /This session Chrome on/ }).waitFor();
    const before = await page.getByRole('button', { name: /^End the session of/ }).count();
    assert.ok(before >= 1, 'the session of the sign-up is listed');
    await page
      .getByRole('button', { name: /^End the session of/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'End the session', exact: true }).click();
    await dialogCloses(page);
    await countBecomes(page.getByRole('button', { name: /^End the session of/ }), before - 1);
    await assertAccessible(page, 'account');
  });
});

describe('the link of the first start', () => {
  test('signs the administrator in and opens the first steps, which tick themselves off', async () => {
    const database = openDatabase(studio.app.databaseUrl, { poolSize: 1 });
    const { rows } = await studio.app.owner.query('SELECT id FROM accounts WHERE email = $1', [
      studio.owner.email,
    ]);
    const token = await database
      .forAccount(rows[0].id)
      .transaction((transaction) => createSignInLink(transaction, vault, rows[0].id));
    await database.close();

    const page = await studio.visit(`/welcome#token=${token}`);
    await assertAccessible(page, 'welcome');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`**${studio.game}/first-run`);
    await page.getByRole('img', { name: 'Done' }).first().waitFor();
    await arrangePlayer(studio.app, studio.tenant, 'grace');
    await page.getByText('grace signed in.').waitFor();

    const again = await studio.visit(`/welcome#token=${token}`);
    await again.getByRole('button', { name: 'Sign in' }).click();
    await again.getByRole('alert').waitFor();
    await countBecomes(again.getByRole('button', { name: 'Sign in' }), 0);
    await assertAccessible(again, 'a used link');
    await again.getByRole('link', { name: 'Sign in with the password' }).click();
    await again.waitForURL('**/sign-in');
  });
});
