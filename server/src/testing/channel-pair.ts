import { EventEmitter } from 'node:events';
import { openChannel, type Channel, type Port, type RequestHandlers } from '../processes/channel.ts';

/** Opens both ends of a channel in one process. Messages pass through JSON, as between processes. Returns the end that sends requests. */
export function openChannelPair(handlers: RequestHandlers): { primary: Channel } {
  const [one, other] = [new EventEmitter(), new EventEmitter()];
  const port = (own: EventEmitter, remote: EventEmitter): Port => ({
    send: (message) => void setImmediate(() => remote.emit('message', JSON.parse(JSON.stringify(message)))),
    on: (event, listener) => own.on(event, listener),
  });
  openChannel(port(other, one), handlers);
  return { primary: openChannel(port(one, other), {}) };
}
