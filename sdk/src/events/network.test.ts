import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { waitForNetwork } from './network.ts';

describe('a wait for the network in a page', () => {
  let page: EventTarget;
  const navigatorBefore = Object.getOwnPropertyDescriptor(globalThis, 'navigator')!;
  const listeners = () => getEventListeners(page, 'online').length;

  beforeEach(() => {
    page = new EventTarget();
    Object.assign(globalThis, {
      document: {},
      addEventListener: page.addEventListener.bind(page),
      removeEventListener: page.removeEventListener.bind(page),
    });
  });

  afterEach(() => {
    for (const name of ['document', 'addEventListener', 'removeEventListener'])
      Reflect.deleteProperty(globalThis, name);
    Object.defineProperty(globalThis, 'navigator', navigatorBefore);
  });

  function setOnline(onLine: boolean): void {
    Object.defineProperty(globalThis, 'navigator', { value: { onLine }, configurable: true });
  }

  test('ends with its time, and leaves no listener', async () => {
    setOnline(true);
    for (let count = 0; count < 3; count++) await waitForNetwork(1, 60_000, new AbortController());
    assert.equal(listeners(), 0);
  });

  test('ends when the device gets a network, and leaves no listener', async () => {
    setOnline(true);
    const waiting = waitForNetwork(60_000, 60_000, new AbortController());
    page.dispatchEvent(new Event('online'));
    await waiting;
    assert.equal(listeners(), 0);
  });

  test('ends when it is aborted, and leaves no listener', async () => {
    setOnline(true);
    const wake = new AbortController();
    const waiting = waitForNetwork(60_000, 60_000, wake);
    wake.abort();
    await waiting;
    assert.equal(listeners(), 0);
  });

  test('waits longer without a network, but not without end, because the flag may be wrong', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    setOnline(false);
    let isDone = false;
    const waiting = waitForNetwork(10, 60_000, new AbortController()).then(() => (isDone = true));
    context.mock.timers.tick(59_999);
    await Promise.resolve();
    assert.equal(isDone, false);
    context.mock.timers.tick(1);
    await waiting;
  });
});
