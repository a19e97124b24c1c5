import { argon2, randomBytes, timingSafeEqual, type Argon2Parameters } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import pLimit from 'p-limit';
import { siteOf } from '../core/network.ts';
import { shareOf } from '../core/share.ts';
import { createTurns } from '../core/concurrency/turns.ts';

const hash = promisify<'argon2id', Argon2Parameters, Buffer>(argon2);

// The minimum that OWASP recommends for argon2id: 19 MiB, two passes, one lane. About 30 ms of one core.
const COST = { parallelism: 1, tagLength: 32, memory: 19_456, passes: 2 };

/**
 * How many hashes run at once: at most half of the cores, so that a flood of passwords leaves other sign-ins more than
 * half of their speed (docs/benchmarks.md). At most two, because file and DNS work share libuv's four threads with
 * hashing.
 */
const maxRunning = (processes: number): number =>
  Math.min(2, shareOf(Math.max(1, Math.floor(availableParallelism() / 2)), processes));
/** A queue of 64 takes about two seconds. */
const WAITING_PER_NETWORK = 64;

/**
 * Sign-ups (new) and logins (known) have separate queues. Each queue sends as many hashes to the slots as there are
 * slots. If both queues are full, each gets every second free slot. Networks take turns in a queue: with one queue for all, 100 logins at a
 * time of 10 accounts of one network filled it, and 19 of 20 logins of others were refused.
 */
function createHashing(running: number) {
  const slots = pLimit(running);
  const createQueue = () =>
    createTurns(
      { running, runningPerOwner: running, waitingPerMember: WAITING_PER_NETWORK },
      { retryAfter: 2 },
    );
  return { slots, queues: { new: createQueue(), known: createQueue() } };
}

let hashing = createHashing(maxRunning(1));

/** Divides the hashes that run at once between the processes of a server. Each process keeps at least one. Call it before the first hash. */
export function divideHashing(processes: number): void {
  hashing = createHashing(maxRunning(processes));
}

/** A password of 120 random bits. */
export function newPassword(): string {
  return randomBytes(15).toString('base64url');
}

/**
 * Hashes a password as a PHC string (argon2id with its parameters and salt). `address` is that of the client, or null for the operator's
 * commands. Throws busy.
 */
export async function hashPassword(password: string, address: string | null): Promise<string> {
  const salt = randomBytes(16);
  const tag = await bounded('new', address, () =>
    hash('argon2id', { ...COST, message: password.normalize('NFC'), nonce: salt }),
  );
  return format(salt, tag);
}

/**
 * Compares a password with a PHC string in constant time. Without a stored hash it does the same work and returns
 * false, so that an unknown account takes as long as a wrong password. Throws busy.
 */
export async function verifyPassword(
  password: string,
  stored: string | undefined | null,
  address: string | null,
): Promise<boolean> {
  const { memory, passes, parallelism, salt, tag } = parse(stored ?? DUMMY_HASH);
  const parameters = { memory, passes, parallelism, tagLength: tag.length, nonce: salt };
  const actual = await bounded('known', address, () =>
    hash('argon2id', { ...parameters, message: password.normalize('NFC') }),
  );
  return timingSafeEqual(actual, tag) && Boolean(stored);
}

const DUMMY_HASH = format(randomBytes(16), randomBytes(COST.tagLength));

/** Writes a hash with the parameters of {@link COST} as a PHC string. */
function format(salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(salt)}$${base64(tag)}`;
}

function parse(phc: string) {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(phc);
  if (!match) throw new Error('A stored password hash is malformed.');
  const [, memory, passes, parallelism, salt = '', tag = ''] = match;
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

function bounded<Result>(
  queue: 'new' | 'known',
  address: string | null,
  work: () => Promise<Result>,
): Promise<Result> {
  const { slots, queues } = hashing;
  return queues[queue](siteOf(address), () => slots(work));
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
