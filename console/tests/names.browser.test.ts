import { describe, test } from 'node:test';
import { arrangePlayer, arrangeTenant } from '../../server/src/testing/arrange.ts';
import { startStudio } from './browser.ts';

const studio = await startStudio();
const { app, tenant, game } = studio;
const workspace = `/workspaces/${tenant.workspaceId}`;

describe('two of the same name', () => {
  test('have the end of their ids in the game menu and in the choices of a game, others do not', async () => {
    const twin = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    const lone = await arrangeTenant(app, { workspaceId: tenant.workspaceId });
    await app.owner.query(`UPDATE tenants SET name = 'Tidewater' WHERE id = $1`, [twin.tenantId]);
    await app.owner.query(`UPDATE tenants SET name = 'Undertow' WHERE id = $1`, [lone.tenantId]);
    const nameOf = ({ tenantId }: { tenantId: string }) => `Tidewater · …${tenantId.slice(-6)}`;
    const page = await studio.open(`${workspace}/alerts`);
    await page.getByRole('combobox', { name: 'Game' }).click();
    for (const name of [nameOf(tenant), nameOf(twin), 'Undertow'])
      await page.getByRole('option', { name, exact: true }).waitFor();
    await page.keyboard.press('Escape');

    await page.goto(game);
    await page.getByRole('button', { name: `Game: ${nameOf(tenant)}` }).click();
    await page.getByRole('menuitem', { name: 'Undertow', exact: true }).waitFor();
    await page.getByRole('menuitem', { name: nameOf(twin), exact: true }).click();
    await page.waitForURL(`**/games/${twin.tenantId}`);
    await page.getByRole('button', { name: `Game: ${nameOf(twin)}` }).waitFor();
  });

  test('have the end of their ids in the search', async () => {
    const players = [await arrangePlayer(app, tenant, 'zoe-1'), await arrangePlayer(app, tenant, 'zoe-2')];
    await app.owner.query(`UPDATE players SET display_name = 'Zoe' WHERE id = ANY($1)`, [
      players.map(({ playerId }) => playerId),
    ]);
    const page = await studio.open(game);
    await page.getByRole('button', { name: /^Search/ }).click();
    await page.getByRole('combobox', { name: 'Go to a page or find a player' }).fill('zoe');
    for (const { playerId } of players)
      await page.getByRole('option', { name: `Zoe · …${playerId.slice(-6)}` }).waitFor();
    await page.getByRole('option', { name: `…${players[1]!.playerId.slice(-6)}` }).click();
    await page.waitForURL(`**${game}/players/${players[1]!.playerId}`);
  });
});
