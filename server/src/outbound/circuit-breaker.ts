import {
  BrokenCircuitError,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  type CircuitBreakerPolicy,
  type Policy,
} from 'cockatiel';

interface CircuitBreakerOptions {
  /** Selects the errors that count as failures. */
  failures: Policy;
  /** After this many consecutive failures the circuit opens. */
  opensAfter: number;
  /** How long it stays open. Then one call tests whether the failure is over. */
  openMs: number;
  /** A monotonic clock in milliseconds. */
  now?: (() => number) | undefined;
}

/**
 * Creates a circuit breaker. While the circuit is open, calls throw BrokenCircuitError. The library reads the system clock: after
 * somebody sets that back by an hour, an open circuit would stay open for an hour. So the open time is measured here. Calls during the
 * test throw too: in the library they would wait, and after a failed test each of them would become the next test.
 */
export function createCircuitBreaker({
  failures,
  opensAfter,
  openMs,
  now = () => performance.now(),
}: CircuitBreakerOptions): Pick<CircuitBreakerPolicy, 'execute'> {
  let openUntil = -Infinity;
  const breaker = circuitBreaker(failures, {
    // execute() keeps the circuit open by its own clock. So the library always tries the next call.
    halfOpenAfter: -Infinity,
    breaker: new ConsecutiveBreaker(opensAfter),
  });
  breaker.onBreak(() => (openUntil = now() + openMs));
  return {
    async execute(fn, signal) {
      if (now() < openUntil || breaker.state === CircuitState.HalfOpen) throw new BrokenCircuitError();
      return breaker.execute(fn, signal);
    },
  };
}
