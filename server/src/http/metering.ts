import { pipeline, Readable, Transform } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { KeyCaller } from '../core/callers.ts';

/** What came in and went out with one request on a key. Bytes are those of the bodies. */
export interface Traffic {
  /** 1 for an accepted read. The units of a write are counted in the transaction that writes. */
  units: number;
  bytesIn: number;
  bytesOut: number;
}

/** Keeps the books of what comes in on keys: implemented by a feature, opened in services.ts. */
export interface Meter {
  /** Throws quota_exceeded where the plan of the key's payer lets in no more reads. */
  admitRead(key: KeyCaller): Promise<void>;
  count(key: KeyCaller, traffic: Traffic): void;
}

/** Called with a write that was not charged exactly once though accepted, or charged though refused: the tests fail on it. */
export type OnMischarged = (operation: string, what: string) => void;

/** Meters every request on a key, whose body is counted ({@link FastifyRequest.bodyBytes}). To be called before any route is registered. */
export function meterRequests(app: FastifyInstance, meter: Meter, onMischarged?: OnMischarged): void {
  /** Of requests that are being answered: the bytes of their streams. */
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
    // A stream that fails before its first byte is answered a second time, by a problem.
    if (!streamed.has(request)) {
      streamed.set(request, 0);
      whenOver(reply, () => meter.count(key, trafficOf(request, reply, streamed.get(request) ?? 0)));
    }
    // HEAD is answered without a body.
    return payload instanceof Readable && request.method !== 'HEAD'
      ? counted(payload, (bytes) => streamed.set(request, (streamed.get(request) ?? 0) + bytes))
      : payload;
  });

  if (onMischarged) reportMischarged(app, onMischarged);
}

/** Also where the client has left, or leaves in the middle of the answer, of which onResponse is not told. */
function whenOver(reply: FastifyReply, work: () => void): void {
  if (reply.raw.destroyed) work();
  else reply.raw.once('close', work);
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
  // Who reads the counter is told of an error by it.
  return pipeline(stream, counter, () => {});
}
