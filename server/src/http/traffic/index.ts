import type { FastifyInstance } from 'fastify';
import type { KeyCaller } from '../../core/callers.ts';
import { createBodyBudget, sharesOfProcess } from './body-budget.ts';
import { limitBodyIntake } from './body-intake.ts';
import { countBodyBytes } from './body-size.ts';
import { meterRequests, type Meter, type OnMischarged } from './metering.ts';

/** The parts of the traffic pipeline that features implement. */
interface TrafficOptions {
  /** Receives the body size of each request on a key, for alerts. */
  countBytes: (key: KeyCaller, bytes: number) => void;
  meter: Meter;
  /** How many processes share the server's budget for bodies. */
  processes: number;
  /** Set by tests only. */
  onMischarged?: OnMischarged | undefined;
}

/**
 * Installs the counters and limits of every request. The steps run in this order:
 *
 * 1. `body-size.ts` (onRequest) starts to count the bytes of the body. Alerts receive the sum when the request ends.
 * 2. `rate-limit.ts` (onRequest, called by the credential) counts the request of a key, or rejects it with 429.
 * 3. `body-intake.ts` (preParsing) reserves memory in the body budget, or rejects with 503. It cuts off slow bodies with 408.
 * 4. The handler charges a write in its own transaction (`database.forKey`).
 * 5. `metering.ts` (onSend) checks the quota of an accepted read, and records units and bytes when the response ends.
 *
 * `stalled-readers.ts` (onSend) closes connections that do not read their response. The server installs it for all routes.
 */
export function installTrafficPipeline(
  app: FastifyInstance,
  { countBytes, meter, processes, onMischarged }: TrafficOptions,
): void {
  countBodyBytes(app, countBytes);
  limitBodyIntake(app, { budget: createBodyBudget(sharesOfProcess(processes)) });
  meterRequests(app, meter, onMischarged);
}
