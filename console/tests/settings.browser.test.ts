import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { arrangeAccount } from '../../server/src/testing/arrange.ts';
import {
  assertAccessible,
  becomes,
  countBecomes,
  dialogCloses,
  dialogHasFocus,
  startStudio,
} from './browser.ts';

const studio = await startStudio();

describe('a form with unsaved changes', () => {
  test('asks before the page is left, and not after it was saved', async () => {
    const page = await studio.open(`${studio.game}/settings`);
    const players = page.getByRole('link', { name: 'Players' });
    await page.getByRole('textbox', { name: 'Name' }).fill('Tidewater II');
    await players.click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving' });
    await dialog.waitFor();
    await assertAccessible(page, 'the question');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await becomes(() => page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Tidewater II');

    await players.click();
    await dialog.getByRole('button', { name: 'Discard the changes' }).click();
    await page.waitForURL('**/players');

    await page.goto(`${studio.game}/settings`);
    await becomes(() => page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Tidewater');
    await page.getByRole('textbox', { name: 'Name' }).fill('Tidewater III');
    await page.getByRole('button', { name: 'Save the game' }).click();
    await page.getByRole('button', { name: 'Game: Tidewater III' }).waitFor();
    await players.click();
    await page.waitForURL('**/players');
  });

  test('asks once about two forms, and again after the reader has stayed', async () => {
    const page = await studio.open(`${studio.game}/settings`);
    await page.getByRole('textbox', { name: 'Slug' }).fill('undertow');
    await page.getByRole('textbox', { name: 'Bytes per minute' }).fill('4096');
    const players = page.getByRole('link', { name: 'Players' });
    const dialog = page.getByRole('dialog', { name: 'Leave without saving' });
    for (const verb of ['Cancel', 'Discard the changes']) {
      await players.click();
      await dialog.getByRole('button', { name: verb }).click();
      if (verb === 'Cancel') await dialog.waitFor({ state: 'detached' });
    }
    await page.getByRole('heading', { level: 1, name: 'Players' }).waitFor();

    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('textbox', { name: 'Slug' }).fill('undertow');
    await players.click();
    await dialog.waitFor();
  });

  test('asks once if the back button is pressed twice, and keeps the page and its address', async () => {
    const page = await studio.open(studio.game);
    await page.getByRole('link', { name: 'Players' }).click();
    await page.waitForURL('**/players');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.waitForURL('**/settings');
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('Undertow');
    await page.evaluate(() => history.back());
    const dialog = page.getByRole('dialog', { name: 'Leave without saving' });
    await dialog.waitFor();
    await page.evaluate(() => history.back());
    await page.waitForURL(`**${studio.game}`);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL('**/settings');
    assert.equal(await name.inputValue(), 'Undertow');
  });

  test('keeps text that is typed while the form is saved as a change', async () => {
    const page = await studio.open(`${studio.game}/settings`);
    const slug = page.getByRole('textbox', { name: 'Slug' });
    const save = page.getByRole('button', { name: 'Save the game' });
    const sent = Promise.withResolvers<void>();
    const { promise: answer, resolve: answers } = Promise.withResolvers<void>();
    await page.route(`**/api/bus_tenants/${studio.tenant.tenantId}`, async (route) => {
      if (route.request().method() === 'PATCH') {
        sent.resolve();
        await answer;
      }
      await route.continue();
    });
    await page.getByRole('textbox', { name: 'Name' }).fill('Tidewater IV');
    await save.click();
    await sent.promise;
    await slug.fill('typed-meanwhile');
    answers();
    await page.getByRole('button', { name: 'Game: Tidewater IV' }).waitFor();
    // The button that sends the form shows no progress any more, and can be pressed.
    await page.locator('button:not([data-loading]):enabled', { hasText: 'Save the game' }).waitFor();
    await becomes(() => slug.inputValue(), 'typed-meanwhile');
    await save.click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const { rows } = await studio.app.owner.query('SELECT name, slug FROM tenants WHERE id = $1', [
      studio.tenant.tenantId,
    ]);
    assert.deepEqual(rows, [{ name: 'Tidewater IV', slug: 'typed-meanwhile' }]);
  });

  test('asks before a dialog with changes is closed, and closes one without changes at once', async () => {
    const page = await studio.open(`${studio.game}/definitions`);
    await page.getByRole('button', { name: 'Create a definition' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Create a definition' });
    await dialogHasFocus(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Create a definition' }).first().click();
    await dialog.getByLabel('Event key').fill('half_typed');
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Leave without saving' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await becomes(() => dialog.getByLabel('Event key').inputValue(), 'half_typed');

    // Escape closes only the dialog that is above the others.
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search and commands' });
    await palette.locator('input:focus').waitFor();
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    await countBecomes(question, 0);
    await becomes(() => dialog.getByLabel('Event key').inputValue(), 'half_typed');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await question.getByRole('button', { name: 'Discard the changes' }).click();
    await dialogCloses(page);
    const { rows } = await studio.app.owner.query('SELECT FROM event_definitions WHERE tenant_id = $1', [
      studio.tenant.tenantId,
    ]);
    assert.equal(rows.length, 0);
  });

  test('takes no text into a dialog during its request, and returns the focus to the refused field', async () => {
    const page = await studio.open(`${studio.game}/definitions`);
    await page.getByRole('button', { name: 'Create a definition' }).first().click();
    const key = page.getByRole('dialog').getByLabel('Event key');
    const { promise: answer, resolve: answers } = Promise.withResolvers<void>();
    await page.route('**/event-definitions', async (route) => {
      if (route.request().method() === 'POST') await answer;
      await route.continue();
    });
    await key.fill('k'.repeat(40));
    await dialogHasFocus(page);
    await page.keyboard.press('Enter');
    await page.locator('button[data-loading]').waitFor();
    await page.keyboard.type('typed-meanwhile');
    assert.equal(await key.inputValue(), 'k'.repeat(40));
    answers();
    await page.locator('[role=dialog] input[aria-invalid=true]:focus').waitFor();
    await page.keyboard.type('s');
    await becomes(() => key.inputValue(), `${'k'.repeat(40)}s`);
  });

  test('does not ask when the form was saved and another page opens', async () => {
    const page = await studio.open(`/workspaces/${studio.tenant.workspaceId}`);
    await page.getByRole('button', { name: 'Create a game' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Ebb and Flow');
    await page.getByRole('button', { name: 'Create the game' }).click();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await assertAccessible(page, 'the first steps of a new game');

    // The commands of the page work after its buttons were pressed.
    await page.getByRole('button', { name: 'Turn Mock on' }).click();
    await page.getByRole('button', { name: 'Turn auto-create on' }).click();
    await countBecomes(page.getByRole('button', { name: /^Turn/ }), 0);
    const { rows } = await studio.app.owner.query(
      `SELECT auto_create_definitions FROM tenants JOIN provider_settings ON tenant_id = id
       WHERE name = 'Ebb and Flow' AND provider = 'Mock' AND enabled`,
    );
    assert.equal(rows.length, 1);
  });

  test('asks on each page with a form: providers and the password', async () => {
    const page = await studio.open(`${studio.game}/providers`);
    const dialog = page.getByRole('dialog', { name: 'Leave without saving' });
    const players = page.getByRole('link', { name: 'Players' });
    await page.getByRole('button', { name: 'Set up Store B' }).click();
    await page.getByLabel('Client id').fill('client-1');
    await players.click();
    await dialog.getByRole('button', { name: 'Discard the changes' }).click();
    await page.waitForURL('**/players');
    await page.goto('/account');
    await page.getByRole('textbox', { name: 'New password' }).fill('something else');
    await players.click();
    await dialog.getByRole('button', { name: 'Discard the changes' }).click();
    await page.waitForURL('**/players');
  });
});

describe('a change of another person', () => {
  const { app, tenant } = studio;

  test('stays when other settings of the game are saved, and shows in an unchanged field', async () => {
    const page = await studio.open(`${studio.game}/settings`);
    await page.getByRole('textbox', { name: 'Slug' }).fill('tide');
    await app.owner.query('UPDATE tenants SET hidden_from_discovery = true WHERE id = $1', [tenant.tenantId]);
    await page.getByRole('button', { name: 'Save the game' }).click();
    await page.getByRole('switch', { name: 'Hide from discovery', checked: true }).waitFor();
    const { rows } = await app.owner.query('SELECT slug, hidden_from_discovery FROM tenants WHERE id = $1', [
      tenant.tenantId,
    ]);
    assert.deepEqual(rows, [{ slug: 'tide', hidden_from_discovery: true }]);
  });

  test('stays when a provider is turned on or another setting of it is saved', async () => {
    const admin = await arrangeAccount(app, tenant, 'admin');
    const provider = `/api/bus_tenants/${tenant.tenantId}/providers/WalletJwt`;
    const store = (audience: string) =>
      app.http.put(
        provider,
        { enabled: false, settings: { issuer: 'https://one.example', audience } },
        admin,
      );
    const settings = async () => {
      const { enabled, settings } = (await app.http.get(provider, admin)).body;
      return { enabled, ...settings };
    };
    assert.equal((await store('first')).status, 200);
    const page = await studio.open(`${studio.game}/providers`);
    await page.getByLabel('Issuer').fill('https://two.example');
    await store('second');
    await page.getByRole('switch', { name: 'Wallet JWT is on' }).press('Space');
    await page.getByRole('switch', { name: 'Wallet JWT is on', checked: true }).waitFor();
    await becomes(settings, { enabled: true, issuer: 'https://one.example', audience: 'second' });
    await becomes(() => page.getByLabel('Audience').inputValue(), 'second');
    await store('third');
    await page.getByRole('button', { name: 'Save the settings' }).first().click();
    await becomes(settings, { enabled: false, issuer: 'https://two.example', audience: 'third' });
  });
});

describe('a change without an answer', () => {
  test('shows after the page has read its data again', async () => {
    const page = await studio.open(`${studio.game}/providers`);
    await page.route('**/providers/*', async (route) => {
      await route.fetch();
      await route.abort();
    });
    const store = page.locator('section', { hasText: 'Store B' });
    await store.getByRole('switch', { checked: false }).press('Space');
    // Until then, the switch shows what was asked for.
    await store.getByText('The server cannot be reached').waitFor();
    await store.getByRole('switch', { checked: true }).waitFor();
  });
});

describe('the settings of a game', () => {
  test('say what to enter, before and after a request', async () => {
    const page = await studio.open(`${studio.game}/settings`);
    await page.getByRole('textbox', { name: 'Slug' }).fill('Not A Slug');
    await page.keyboard.press('Tab');
    await page.getByText('Use lower-case letters and digits, joined by single hyphens.').waitFor();
    await page.getByLabel('Requests per minute').fill('');
    await page.getByRole('button', { name: 'Save the thresholds' }).click();
    await page.getByText('Enter a whole number, at least 1.').waitFor();
    await assertAccessible(page, 'fields with errors');

    const other = await studio.open(`${studio.game}/definitions`);
    await other.getByRole('button', { name: 'Create a definition' }).first().click();
    await dialogHasFocus(other);
    await other.keyboard.press('Enter');
    await other.getByText('Enter a value.').waitFor();
    await countBecomes(other.getByRole('dialog').getByRole('alert'), 0);
  });
});

describe('a sign-in provider', () => {
  test('asks for the required settings, and empties the field of a saved secret', async () => {
    const page = await studio.open(`${studio.game}/providers`);
    const store = page.locator('section', { hasText: 'Store A' });
    await page.getByRole('switch', { name: 'Store A is on' }).press('Space');
    await store.getByText('Not configured').waitFor();
    await countBecomes(store.getByRole('button', { name: 'Try it' }), 0);
    await store.getByLabel('Application id').fill('480');
    await store.getByRole('button', { name: 'Save the settings' }).click();
    await store.getByText('Enter a value.').waitFor();
    const key = store.getByRole('textbox', { name: 'Web API key' });
    await key.fill('0123456789ABCDEF');
    await store.getByRole('button', { name: 'Save the settings' }).click();
    await store.getByText('Saved').waitFor();
    await store.getByText('Leave it empty to keep the stored key.').waitFor();
    await store.getByRole('button', { name: 'Try it' }).waitFor();
    await becomes(() => key.inputValue(), '');
    await becomes(() => store.getByLabel('Application id').inputValue(), '480');
  });
});

describe('the audience of Wallet JWT', () => {
  test('is a text, or several texts separated by commas', async () => {
    const { app, tenant } = studio;
    const viewer = await arrangeAccount(app, tenant, 'viewer');
    const provider = `/api/bus_tenants/${tenant.tenantId}/providers/WalletJwt`;
    const stored = async () => (await app.http.get(provider, viewer)).body.settings.audience;
    const page = await studio.open(`${studio.game}/providers`);
    const wallet = page.locator('section', { hasText: 'Wallet JWT' });
    const audience = wallet.getByLabel('Audience');
    const save = wallet.getByRole('button', { name: 'Save the settings' });
    await audience.fill('android, web');
    await save.click();
    await becomes(stored, ['android', 'web']);
    await page.reload();
    await becomes(() => audience.inputValue(), 'android, web');
    await audience.fill('android, android');
    await save.click();
    await wallet.getByText('must not have an item twice').waitFor();
    await audience.fill('web,');
    await save.click();
    await becomes(stored, 'web');
  });
});

describe('a viewer', () => {
  test('can read the inputs that a viewer may not change, in both color schemes', async () => {
    const page = await studio.open(`${studio.game}/settings`, { role: 'viewer' });
    await page.getByLabel('Bytes per minute').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      const contrasts = await page.evaluate(contrastsOfInputs);
      assert.deepEqual(
        contrasts.map(({ label, contrast }) => [label, contrast >= 4.5]),
        [
          ['Name', true],
          ['Slug', true],
          ['Requests per minute', true],
          ['Bytes per minute', true],
        ],
        JSON.stringify({ colorScheme, contrasts }),
      );
    }
  });
});

/** The contrast of the text of each disabled input with its background. It runs in the page. axe leaves disabled inputs out. */
function contrastsOfInputs(): { label: string; contrast: number }[] {
  const channelsOf = (color: string): number[] => color.match(/[\d.]+/g)!.map(Number);
  const luminance = (channels: number[]): number => {
    const [red = 0, green = 0, blue = 0] = channels.map((channel) =>
      channel <= 0.04045 * 255 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const page = channelsOf(getComputedStyle(document.body).backgroundColor);
  return [...document.querySelectorAll<HTMLInputElement>('main input:disabled:not([type=checkbox])')].map(
    (input) => {
      const { color, backgroundColor, opacity } = getComputedStyle(input);
      const seen = (name: string) =>
        luminance(
          channelsOf(name).map(
            (channel, index) => channel * Number(opacity) + page[index]! * (1 - Number(opacity)),
          ),
        );
      const [darker = 0, lighter = 0] = [seen(color), seen(backgroundColor)].toSorted(
        (one, other) => one - other,
      );
      return {
        label: input.labels?.[0]?.firstChild?.textContent ?? '',
        contrast: (lighter + 0.05) / (darker + 0.05),
      };
    },
  );
}

describe('a game', () => {
  test('is disabled and enabled again, although the list of games answers late', async () => {
    const page = await studio.open(`${studio.game}/settings`);
    const listed = Promise.withResolvers<void>();
    await page.route('**/api/workspaces/*/bus_tenants**', async (route) => {
      await listed.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Disable the game' }).click();
    const dialog = page.getByRole('dialog', { name: /^Disable / });
    const name = await dialog.locator('code').innerText();
    await dialog.getByRole('textbox').fill(name);
    await dialog.getByRole('button', { name: 'Disable the game' }).click();
    await page.getByRole('button', { name: 'Enable the game' }).click();
    listed.resolve();
    await page.getByRole('button', { name: 'Disable the game' }).waitFor();
    await dialogCloses(page);
  });
});
