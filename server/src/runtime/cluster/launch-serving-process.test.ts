import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConcurrencySlots, createProcessSlots } from '../../processes/concurrency-slots.ts';
import { launchServingProcess } from './launch-serving-process.ts';

const options = {
  databaseUrl: 'postgres://localhost/none',
  prepare: false,
  worker: false,
  mayCreateDemo: false,
  processes: 2,
};

test('reports a process that cannot be created as ended, so the primary process does not wait for it', async () => {
  const node = process.execPath;
  process.execPath = '/nowhere/node';
  try {
    const shared = createConcurrencySlots();
    const slots = createProcessSlots(shared);
    const serving = launchServingProcess(options, slots, {}, () => {});
    assert.equal(slots.acquire({ ticket: 1, slots: [{ owner: 'owner', limit: 1 }] }), null);
    const request = serving.channel.request('metrics');
    request.catch(() => {});
    assert.equal(await serving.ended, 'was not created (spawn /nowhere/node ENOENT)');
    await assert.rejects(
      serving.ready,
      /^OperatorError: A serving process was not created \(spawn .+\) before it answered\.$/,
    );
    await assert.rejects(request, /The other process has ended/);
    assert.equal(shared.acquire([{ owner: 'owner', limit: 1 }]), undefined, 'its slots are released');
    await serving.stop({ reason: 'stop', drainMs: 0 });
  } finally {
    process.execPath = node;
  }
});
