import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { openJournal } from './match-journal.ts';

const folder = await mkdtemp(join(tmpdir(), 'guildhall-journal-'));
after(() => rm(folder, { recursive: true }));

const match = (gameId: string) => ({
  gameId,
  matchSessionId: `match of ${gameId}`,
  matchPlayerIds: { white: 'w', black: 'b' },
});

describe('openJournal', () => {
  test('reads back all matches, even after parallel writes', async () => {
    const path = join(folder, 'made', 'for', 'it.jsonl');
    const journal = await openJournal(path);
    const ids = Array.from({ length: 50 }, (_, index) => `game ${index}`);
    await Promise.all(ids.map((id) => journal.add(match(id))));
    assert.deepEqual(journal.find('game 7'), match('game 7'));
    await journal.close();

    const again = await openJournal(path);
    assert.deepEqual(
      ids.map((id) => again.find(id)),
      ids.map(match),
    );
    assert.equal(again.find('another game'), undefined);
    await again.close();
  });

  test('removes an incomplete last line, and continues after it', async () => {
    const path = join(folder, 'torn.jsonl');
    const journal = await openJournal(path);
    await journal.add(match('whole'));
    await journal.close();
    await appendFile(path, '{"gameId":"torn","matchSes');

    const repaired = await openJournal(path);
    assert.equal(repaired.find('torn'), undefined);
    await repaired.add(match('next'));
    await repaired.close();
    assert.equal((await readFile(path, 'utf8')).split('\n').filter(Boolean).length, 2);
    const last = await openJournal(path);
    assert.deepEqual([last.find('whole'), last.find('next')], [match('whole'), match('next')]);
    await last.close();
  });
});
