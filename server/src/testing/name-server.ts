import { createSocket, type RemoteInfo } from 'node:dgram';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import { after } from 'node:test';
import ipaddr from 'ipaddr.js';

/** A DNS server for tests, which resolves every name of this process. */
interface TestNameServer {
  /** The address of the server, for a resolver of its own. */
  address: string;
  /** How it fails: no name exists, it reports a failure (SERVFAIL), or it never answers. */
  failure: 'unknown name' | 'server failure' | 'silence' | undefined;
  /** The addresses in its responses: one list after the other, then always the last one. */
  answers: string[][];
  /** How many lookups it received. A lookup of both address families counts once. */
  asked: number;
}

const [A, AAAA] = [1, 28];
const RCODES = { 'server failure': 2, 'unknown name': 3 };

/** Starts a DNS server on loopback, and stops it after the tests of the file. */
export async function startNameServer(): Promise<TestNameServer> {
  const before = dns.getServers();
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.unref();
  let current: string[] = [];
  socket.on('message', (query, { port, address }: RemoteInfo) => {
    const type = typeOf(query);
    const { failure } = state;
    if (failure === 'silence') return;
    if (failure) return socket.send(answerTo(query, [], RCODES[failure]), port, address);
    if (type === A) {
      state.asked++;
      current = (state.answers.length > 1 ? state.answers.shift() : state.answers[0]) ?? [];
    }
    const addresses = current.filter((one) => isIPv4(one) === (type === A));
    socket.send(answerTo(query, type === AAAA || type === A ? addresses : []), port, address);
  });
  const address = `127.0.0.1:${socket.address().port}`;
  dns.setServers([address]);
  after(() => {
    dns.setServers(before);
    socket.close();
  });
  const state: TestNameServer = { address, failure: undefined, answers: [], asked: 0 };
  return state;
}

const HEADER_BYTES = 12;

/** Returns the offset after the only question of a query: name, type and class. */
function endOfQuestion(query: Buffer): number {
  return query.indexOf(0, HEADER_BYTES) + 5;
}

function typeOf(query: Buffer): number {
  return query.readUInt16BE(endOfQuestion(query) - 4);
}

/** Encodes an authoritative response (RFC 1035). Each record has a TTL of 0. */
function answerTo(query: Buffer, addresses: string[], rcode = 0): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8580 | rcode, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  const records = addresses.map((address) => {
    const bytes = Buffer.from(ipaddr.parse(address).toByteArray());
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
    record.writeUInt16BE(bytes.length === 4 ? A : AAAA, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([record, bytes]);
  });
  return Buffer.concat([header, query.subarray(HEADER_BYTES, endOfQuestion(query)), ...records]);
}
