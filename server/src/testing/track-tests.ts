import asyncHooks, { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Loads `node:test` in such a way that it finds the running test by an AsyncLocalStorage. By default it uses an async hook, which follows
 * each promise of the process. That takes an eighth of the processor time of the tests of the API. `run-tests.ts` imports this file before
 * each process of tests.
 */
const { AsyncResource, createHook, executionAsyncId } = asyncHooks;
type Hook = Parameters<typeof createHook>[0];

const running = new AsyncLocalStorage<number>();
const hooks = new Set<Hook>();

/** The base class of each test of `node:test`. */
class TestResource extends AsyncResource {
  constructor(type: string, options?: object) {
    super(type, options);
    for (const { init } of hooks) init?.(this.asyncId(), type, this.triggerAsyncId(), this);
  }

  override runInAsyncScope<This, Args extends unknown[], Result>(
    work: (this: This, ...args: Args) => Result,
    self?: This,
    ...args: Args
  ): Result {
    return super.runInAsyncScope(() => running.run(this.asyncId(), () => work.apply(self as This, args)));
  }
}

Object.assign(asyncHooks, {
  AsyncResource: TestResource,
  executionAsyncId: () => running.getStore() ?? 0,
  createHook: (hook: Hook) => ({ enable: () => hooks.add(hook), disable: () => hooks.delete(hook) }),
});
await import('node:test');
Object.assign(asyncHooks, { AsyncResource, createHook, executionAsyncId });
