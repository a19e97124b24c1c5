import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../src/testing/eventually.ts';
import type { Answer } from '../../src/testing/http-client.ts';
import { scrape, sumOf } from '../../src/testing/scrape.ts';
import type { TestApp } from '../../src/testing/test-app.ts';
import { faults, type FaultyProxy } from './faulty-proxy.ts';

/** A server that a deployment depends on, behind a proxy. */
export interface Dependency {
  name: string;
  app: TestApp;
  proxy: FaultyProxy;
  /** Sends a request that uses the dependency. */
  use(): Promise<Answer>;
  /** The statuses that a request may have during a fault, besides its usual one. */
  statuses: number[];
  /** Whether readiness follows the dependency. */
  isRequired?: boolean;
  /** Waits until the work of a request has reached the dependency. Default: the response means it. */
  arrived?(answer: Answer): Promise<void>;
}

/** How long a fault lasts: less than the timeouts of the server, so that both ends of the fault are seen. */
const FAULT_MS = 500;
const REQUESTS = 3;
/** A busy machine may need longer than the 5 seconds that are documented. */
const PATIENCE_MS = 240_000;

/** Breaks a dependency in each way, and checks the requests during the fault and the recovery after it. */
export function checkFaults({ name, app, proxy, use, statuses, isRequired, arrived }: Dependency): void {
  const isReady = async (): Promise<number> => (await app.http.get('/health/ready')).status;
  const usedConnections = async (): Promise<number> => {
    const series = await scrape(app.http);
    return (
      sumOf(series, 'guildhall_database_connections', { state: 'used' }) +
      sumOf(series, 'guildhall_database_waiting_requests')
    );
  };
  const complete = async (): Promise<void> => {
    const answer = await use();
    assert.ok(answer.status < 300, answer.text);
    await arrived?.(answer);
  };

  describe(`a fault of ${name}`, { concurrency: false }, () => {
    before(complete);
    for (const fault of faults)
      test(fault, { timeout: PATIENCE_MS }, async () => {
        proxy.begin(fault);
        const pending = Array.from({ length: REQUESTS }, () => use());
        const ready = isReady();
        await sleep(FAULT_MS);
        // A slow database is ready. The first result may be from before the fault.
        if (isRequired && fault !== 'delay') await eventually(async () => (await isReady()) === 503);
        // Its timeout is 20 seconds.
        if (isRequired && fault === 'blackhole') await Promise.all(pending);
        proxy.end();

        const began = performance.now();
        let attempts = 0;
        await eventually(async () => {
          attempts++;
          const answer = await use();
          if (answer.status >= 300) assert.ok(statuses.includes(answer.status), answer.text);
          return answer.status < 300;
        });
        await complete();
        const recovered = performance.now() - began;

        for (const answer of await Promise.all(pending))
          if (answer.status >= 300)
            assert.ok(statuses.includes(answer.status), `${answer.status} ${answer.text}`);
        if (!isRequired) assert.equal(await ready, 200, 'the server stays ready');
        await eventually(async () => (await isReady()) === 200);
        await eventually(async () => (await usedConnections()) === 0);
        console.log(`${name}, ${fault}: recovered after ${Math.round(recovered)} ms, ${attempts} attempts`);
      });
  });
}
