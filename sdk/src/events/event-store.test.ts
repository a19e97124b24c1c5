import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ClientStorage } from '../core/storage.ts';
import { memoryStorage } from '../storage/memory.ts';
import { createEventStore, type EventStore, type QueuedEvent } from './event-store.ts';

const MINE = new Set(['tenant/ada']);
const PREFIX = 'events ';

/** A storage that refuses writes while it is full. */
function arrange() {
  const storage = memoryStorage();
  let isFull = false;
  const limited: ClientStorage = {
    ...storage,
    write: async (changes, onlyIf) => {
      if (isFull) throw new Error('The storage is full.');
      return storage.write(changes, onlyIf);
    },
  };
  return {
    storage,
    store: createEventStore(limited, PREFIX),
    /** The store of another page, or of the next run. */
    openAnother: () => createEventStore(storage, PREFIX),
    setFull: (full: boolean) => void (isFull = full),
    stored: async () => (await storage.list('', 10_000)).length,
  };
}

function add(store: EventStore, text: string, kind: 'match' | 'player' = 'player', owner = 'tenant/ada') {
  const event = store.create(kind, owner, JSON.stringify({ text }));
  return { event, isSafe: store.add(event) };
}
const textsOf = (events: QueuedEvent[] = []) => events.map(({ json }) => JSON.parse(json).text);
const all = (store: EventStore) => store.next(MINE, 10_000, Infinity);

describe('next', () => {
  test('returns the oldest events of one kind', async () => {
    const { store } = arrange();
    const kinds = ['player', 'match', 'player', 'match'] as const;
    kinds.forEach((kind, index) => add(store, `${kind} ${index}`, kind));
    await store.saved();
    const first = all(store)!;
    assert.deepEqual(textsOf(first), ['player 0', 'player 2']);
    await store.settle(first);
    assert.deepEqual(textsOf(all(store)), ['match 1', 'match 3']);
  });

  test('returns no event before the storage has it, and none of another owner', async () => {
    const { store } = arrange();
    add(store, 'mine');
    add(store, 'of another', 'player', 'tenant/bob');
    assert.equal(all(store), undefined);
    await store.saved();
    assert.deepEqual(textsOf(all(store)), ['mine']);
  });

  test('returns as many events as the limits allow, and at least one', async () => {
    const { store } = arrange();
    for (const text of ['large'.repeat(100), 'a', 'b', 'c']) add(store, text);
    await store.saved();
    assert.equal(store.next(MINE, 10, 100)!.length, 1);
    await store.settle(store.next(MINE, 1, Infinity)!);
    assert.deepEqual(textsOf(store.next(MINE, 2, Infinity)), ['a', 'b']);
    const [{ json }] = all(store) as [QueuedEvent];
    assert.deepEqual(textsOf(store.next(MINE, 10, 2 * json.length)), ['a', 'b']);
    assert.deepEqual(textsOf(store.next(MINE, 10, 2 * json.length - 1)), ['a']);
  });
});

test('lastChance returns the events that fit into the bytes of a request, with a comma for each', async () => {
  const { store } = arrange();
  for (const text of ['ä', 'b', 'c']) add(store, text);
  add(store, 'd', 'match');
  const bytes = 2 * '{"text":"b"}'.length + 1 + 2;
  assert.deepEqual(textsOf(store.lastChance(MINE, 'player', bytes)), ['ä', 'b']);
  assert.deepEqual(textsOf(store.lastChance(MINE, 'player', bytes - 1)), ['ä']);
});

describe('a storage that refuses events', () => {
  test('gets them again when others were answered', async () => {
    const { store, setFull, stored } = arrange();
    const saved = add(store, 'saved');
    assert.equal(await saved.isSafe, true);
    setFull(true);
    const refused = add(store, 'refused');
    await store.saved();
    assert.deepEqual([store.unsaved, store.count], [1, 2]);
    assert.deepEqual(textsOf(all(store)), ['saved', 'refused'], 'it is sent although it is not stored');
    setFull(false);
    await store.settle([saved.event]);
    assert.equal(await refused.isSafe, true);
    assert.deepEqual([store.unsaved, await stored()], [0, 1]);
  });

  test('has none of them after they were answered or removed', async () => {
    const { store, setFull, stored } = arrange();
    setFull(true);
    const [answered, removed] = [add(store, 'answered'), add(store, 'removed')];
    await store.saved();
    setFull(false);
    assert.equal(store.unsaved, 2);
    setFull(true);
    await store.settle([answered.event]);
    await store.saved();
    assert.deepEqual([await answered.isSafe, store.unsaved], [true, 1]);
    assert.deepEqual(textsOf(store.removeUnsaved()), ['removed']);
    assert.equal(await removed.isSafe, false);
    assert.deepEqual([store.unsaved, store.count, store.bytes, await stored()], [0, 0, 0, 0]);
  });
});

test('deletes an event that was answered while it was written', async () => {
  const { store, stored } = arrange();
  const { event } = add(store, 'sent on a page hide');
  await store.settle([event]);
  await store.saved();
  assert.equal(await stored(), 1);
  await store.settle([]);
  assert.equal(await stored(), 0);
});

describe('adopt', () => {
  test('takes over stored events of the owners in the order of their age, page by page', async () => {
    const { store, openAnother } = arrange();
    const texts = Array.from({ length: 1_203 }, (_, index) => String(index));
    for (const text of texts) add(store, text);
    add(store, 'of another', 'player', 'tenant/bob');
    await store.saved();
    const next = openAnother();
    await next.adopt(MINE, Infinity, Infinity);
    assert.deepEqual(textsOf(all(next)), texts);
    assert.deepEqual(await next.owners(), new Set(['tenant/ada', 'tenant/bob']));
  });

  test('takes over no event from after the time, and none beyond the size', async () => {
    const { store, openAnother } = arrange();
    const { event } = add(store, 'a');
    add(store, 'b');
    await store.saved();
    const [tooEarly, small] = [openAnother(), openAnother()];
    await tooEarly.adopt(MINE, event.addedAt, Infinity);
    assert.equal(tooEarly.count, 0);
    await small.adopt(MINE, Infinity, event.bytes);
    assert.deepEqual(textsOf(all(small)), ['a']);
  });

  test('does not take back an answered event that the storage did not delete', async () => {
    const { store, setFull, stored } = arrange();
    const { event } = add(store, 'answered');
    await store.saved();
    setFull(true);
    await store.settle([event]);
    assert.equal(await stored(), 1);
    await store.adopt(MINE, Infinity, Infinity);
    assert.equal(store.count, 0);
    assert.deepEqual(await store.removeOlderThan(Infinity, new Set()), [], 'it is not lost');
  });
});
