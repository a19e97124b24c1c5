import type { Send } from './http.ts';

/** Calls that a signal can end. */
export interface Cancellable<Calls> {
  /**
   * The same calls, which end with the signal: `client.with({ signal }).…`. It ends their requests, and the pauses between repetitions.
   * They then throw the reason of the signal, as `fetch` does. The server may have carried out the request.
   */
  with(options: { signal: AbortSignal }): Calls;
}

/** Makes the calls of a client, and makes them again for each signal. `create` gives each of its senders to `until`. */
export function cancellable<Calls extends object>(
  create: (until: (send: Send) => Send) => Calls,
): Calls & Cancellable<Calls> {
  return {
    ...create((send) => send),
    with: ({ signal }) => create((send) => withSignal(send, signal)),
  };
}

function withSignal(send: Send, signal: AbortSignal): Send {
  return (method, path, options) =>
    send(method, path, {
      ...options,
      signal: options?.signal ? AbortSignal.any([signal, options.signal]) : signal,
    });
}
