import { pipeline, Readable, Transform } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { KeyCaller } from '../../core/callers.ts';
import { onceClosed } from '../request-end.ts';

/** The usage of one request on a key. Bytes are the bytes of bodies. */
export interface Traffic {
  /** 1 for an accepted read. The units of a write are counted in the transaction that writes. */
  units: number;
  bytesIn: number;
  bytesOut: number;
}

/** Records the usage of keys. A feature implements it. */
export interface Meter {
  /** Throws quota_exceeded if the plan of the key's payer allows no more reads. */
  admitRead(key: KeyCaller): Promise<void>;
  count(key: KeyCaller, traffic: Traffic): void;
}

/**
 * Called when an accepted write is not charged exactly once, or when any other request is charged. Tests fail on it.
 */
export type OnMischarged = (operation: string, what: string) => void;

/** Meters every request on a key. Needs {@link FastifyRequest.bodyBytes}. Call it before routes are registered. */
export function meterRequests(app: FastifyInstance, meter: Meter, onMischarged?: OnMischarged): void {
  /** The streamed bytes of responses that are in progress. */
  const streamed = new WeakMap<FastifyRequest, number>();

  app.addHook('onSend', async (request, reply, payload) => {
    const key = request.keyCaller;
    if (!key) return payload;
    if (isAcceptedRead(request, reply.statusCode)) {
      try {
        await meter.admitRead(key);
      } catch (error) {
        if (payload instanceof Readable) payload.destroy();
        reply.removeHeader('content-disposition');
        throw error;
      }
    }
    // If a stream fails before its first byte, a second response with a problem follows.
    if (!streamed.has(request)) {
      streamed.set(request, 0);
      onceClosed(reply, () => meter.count(key, trafficOf(request, reply, streamed.get(request) ?? 0)));
    }
    // A HEAD response has no body.
    return payload instanceof Readable && request.method !== 'HEAD'
      ? counted(payload, (bytes) => streamed.set(request, (streamed.get(request) ?? 0) + bytes))
      : payload;
  });

  if (onMischarged) reportMischarged(app, onMischarged);
}

function trafficOf(request: FastifyRequest, reply: FastifyReply, streamed: number): Traffic {
  const sent = request.method === 'HEAD' ? 0 : Number(reply.getHeader('content-length') ?? 0);
  return {
    units: isAcceptedRead(request, reply.statusCode) ? 1 : 0,
    bytesIn: request.bodyBytes,
    bytesOut: streamed + sent,
  };
}

function isAcceptedRead(request: FastifyRequest, status: number): boolean {
  return request.routeOptions.config.usage === 'read' && isAccepted(status);
}

const isAccepted = (status: number) => status >= 200 && status < 300;

function reportMischarged(app: FastifyInstance, report: OnMischarged): void {
  app.addHook('onSend', async (request, reply) => {
    if (!request.keyCaller) return;
    const due = request.routeOptions.config.usage === 'write' && isAccepted(reply.statusCode) ? 1 : 0;
    const charged = request.billing?.chargedTransactions ?? 0;
    if (charged !== due)
      report(`${request.method} ${request.routeOptions.url}`, `${reply.statusCode} charged ${charged} times`);
  });
}

function counted(stream: Readable, count: (bytes: number) => void): Readable {
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      count(chunk.length);
      done(null, chunk);
    },
  });
  // The reader of the counter gets its errors, so the callback ignores them.
  return pipeline(stream, counter, () => {});
}
