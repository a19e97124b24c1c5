import { EventEmitter } from 'node:events';
import { openChannel, type Answers, type Channel, type Port } from '../processes/channel.ts';

/** Both ends of a channel in one process. Messages pass through JSON, as between processes. */
export function openChannelPair(answers: Answers): { asking: Channel; answering: Channel } {
  const [one, other] = [new EventEmitter(), new EventEmitter()];
  const port = (own: EventEmitter, remote: EventEmitter): Port => ({
    send: (message) => void setImmediate(() => remote.emit('message', JSON.parse(JSON.stringify(message)))),
    on: (event, listener) => own.on(event, listener),
  });
  return { asking: openChannel(port(one, other), {}), answering: openChannel(port(other, one), answers) };
}
