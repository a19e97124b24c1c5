import { createECDH } from 'node:crypto';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import type { Hex } from 'viem';
import { evmAddress } from '../core/evm-address.ts';
import { isPartitionedTable, partitionedTables } from '../database/partitions/partitioned-tables.ts';
import type { BucketStorage, ObjectStorage } from '../outbound/object-storage.ts';
import type { Retention } from './retention.ts';

// Every message completes the sentence that begins with the name of the setting. It never shows a value that may contain a secret.

/** The first issue of a setting is enough. The checks after it rely on those before. */
export const FIRST_ISSUE = { abortPipeEarly: true };

/** For addresses. A password with a slash, for example, makes another address of them. */
const MAY_HOLD_PASSWORD =
  '(its value is not shown, because it may contain a password). Write special characters of a password percent-encoded, such as %2F for /.';

export const onOrOff = oneOf('on', 'off');

export const listenAddress = v.pipe(
  v.string(),
  v.check(
    (text) => isIP(text) !== 0 || /^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(text),
    ({ input }) => `must be an IP address or a host name, such as 127.0.0.1, not "${input}".`,
  ),
);

export const directory = v.pipe(
  v.string(),
  // PostgreSQL's own tools hand the path to a shell between double quotes.
  v.regex(/^[^"$`\\\n]+$/, 'must not contain a quotation mark, dollar sign, backtick or backslash.'),
  v.transform((path) => resolve(path)),
);

export const httpUrl = v.pipe(
  v.string(),
  v.check(isUrlOf('http:', 'https:'), ({ input }) => `must be an http or https address, not "${input}".`),
  v.check(
    isBaseUrl,
    'must not contain a user, query or fragment (its value is not shown, because it may contain a password).',
  ),
  v.transform((url) => url.replace(/\/+$/, '')),
);

/** A node of a chain. The path or the query of its address may contain a key. */
export const rpcUrl = v.pipe(
  v.string(),
  v.check(
    (text) => isUrlOf('http:', 'https:')(text) && new URL(text).username === '',
    'must be an http or https address without a user name (its value is not shown, because it may contain a key).',
  ),
);

/** The nodes by chain id, from `1=https://…,137=https://…`. */
export const rpcUrls = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue }): ReadonlyMap<number, string> => {
    const urls = new Map<number, string>();
    for (const [index, entry] of list(dataset.value).entries()) {
      const [, chainId, url = ''] = /^([1-9]\d{0,14})=(.+)$/.exec(entry) ?? [];
      if (!chainId || !v.is(rpcUrl, url) || urls.has(Number(chainId)))
        addIssue({
          message:
            `must be a comma-separated list of <chain id>=<http or https address>, each chain once and without a user name; ` +
            `entry ${index + 1} is not (its value is not shown, because it may contain a key).`,
        });
      urls.set(Number(chainId), url);
    }
    return urls;
  }),
);

export const contractAddress = v.pipe(
  v.string(),
  v.check(
    (text) => evmAddress(text) !== undefined,
    ({ input }) => `must be an EVM address with the right checksum, not "${input}".`,
  ),
  v.transform((text) => evmAddress(text)!),
);

export const signerKey = v.pipe(
  v.string(),
  v.check(isPrivateKey, 'must be a private key of 0x and 64 hexadecimal digits (its value is not shown).'),
  v.transform((key) => key as Hex),
);

export const smtpUrl = v.pipe(
  v.string(),
  v.check(
    isUrlOf('smtp:', 'smtps:'),
    `must be an address that starts with smtp:// or smtps:// ${MAY_HOLD_PASSWORD}`,
  ),
  // The mail library takes them as options, which override ours, and ours require TLS.
  v.check((url) => new URL(url).search === '', 'must have no parameters (its value is not shown).'),
);

export const sender = v.pipe(
  v.string(),
  v.regex(
    /^(?:[^<>@,;:"\r\n]+ <[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/,
    ({ input }) => `must be an address, or a name and <an address>, not "${input}".`,
  ),
);

/**
 * Parameters that the driver prefers to ours. Our options give up the rights of the owner: row-level security would not apply. Our timeouts
 * depend on the work: migrations and the archive take longer than requests.
 */
const OUR_PARAMETERS = [
  'options',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
  'query_timeout',
];

/** libpq accepts them, and the driver of Node takes them for one name. A password may also have a comma. */
const SEVERAL_HOSTS = /^\w+:\/\/(?:[^/?]*@)?[^/?@]*,[^/?@]*(?:[/?]|$)|[?&]host=[^&]*(?:,|%2C)/i;

/**
 * An @ after the host. It was meant to end the password, but a character before it ended the host. An @ in the value of a parameter is
 * valid, for example in a path.
 */
const LATE_AT_SIGN = /^\w+:\/\/[^/?#]*(?:[/#][^?]*@|[^?]*\?[^=]*@)/;

export const postgresUrl = v.pipe(
  v.string(),
  v.check(
    (url) => !LATE_AT_SIGN.test(url),
    'has an @ after its host. Encode @, /, ? and # in the user, the password and the database: %40, %2F, %3F, %23.',
  ),
  v.check(
    (url) => !SEVERAL_HOSTS.test(url),
    'must have one host. For a failover, use an address that always leads to the primary.',
  ),
  // The address of a socket has no host.
  v.check(
    (url) =>
      /^postgres(ql)?:\/\//.test(url) && URL.canParse(url.replace('@/', '@localhost/')) && canBeDecoded(url),
    `must be an address that starts with postgres:// ${MAY_HOLD_PASSWORD}`,
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    const parameters = new URLSearchParams(String(dataset.value).split('?')[1]);
    const name = OUR_PARAMETERS.find((one) => parameters.has(one));
    if (name) addIssue({ message: `must not have the parameter "${name}".` });
  }),
);

export const redisUrl = v.pipe(
  v.string(),
  v.check(
    (value) => !URL.canParse(value) || /^\/?\d{0,4}$/.test(new URL(value).pathname),
    'must end with the number of a database, such as /2, or without a path.',
  ),
  v.check(
    isUrlOf('redis:', 'rediss:'),
    `must be an address that starts with redis:// or rediss:// ${MAY_HOLD_PASSWORD}`,
  ),
);

export const objectStorage = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }): ObjectStorage => {
    const url = URL.parse(dataset.value);
    if (url?.protocol === 'file:' && url.hostname === '' && canBeDecoded(url.pathname))
      return { kind: 'folder', path: fileURLToPath(url) };
    if (url?.protocol !== 's3:' || url.hostname === '' || url.username !== '') {
      addIssue({ message: 'must start with file:/// or s3://bucket, and contain no credentials.' });
      return NEVER;
    }
    const unknown = [...url.searchParams.keys()].find((name) => name !== 'region' && name !== 'endpoint');
    if (unknown !== undefined) addIssue({ message: `may hold region and endpoint, not "${unknown}".` });
    const endpoint = v.safeParse(
      v.optional(httpUrl),
      url.searchParams.get('endpoint') || undefined,
      FIRST_ISSUE,
    );
    if (!endpoint.success) addIssue({ message: 'must have an http or https address as its endpoint.' });
    return {
      kind: 's3',
      bucket: url.hostname,
      prefix: url.pathname.replace(/^\/+|\/+$/g, ''),
      region: url.searchParams.get('region') ?? 'us-east-1',
      endpoint: endpoint.success ? endpoint.output : undefined,
    };
  }),
);

export const bucket = v.pipe(
  objectStorage,
  v.check(({ kind }) => kind === 's3', 'must start with s3://bucket. ARCHIVE_DIR names a folder.'),
  v.transform((storage) => storage as BucketStorage),
);

export const masterKey = v.pipe(
  v.string(),
  v.regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits. Create one with `openssl rand -hex 32`.'),
  v.transform((text) => Buffer.from(text, 'hex')),
);

export const trustedProxies = v.pipe(
  wordOrList(
    ['on', 'off'],
    isAddressOrSubnet,
    'off, on, or a comma-separated list of IP addresses and subnets such as 10.0.0.0/8',
  ),
  v.transform((proxies) => (typeof proxies === 'string' ? proxies === 'on' : proxies)),
);

export const webOrigins = wordOrList(
  ['*'],
  isWebOrigin,
  '* or a comma-separated list of origins such as https://play.example, without a path',
);

export const fraction = v.pipe(
  v.string(),
  v.check(
    (text) => Number(text) >= 0 && Number(text) <= 1,
    ({ input }) => `must be a number from 0 to 1, not "${input}".`,
  ),
);

export const metricsToken = v.pipe(
  v.string(),
  v.regex(
    /^[\w.~+/-]{16,256}=*$/,
    'must be 16 to 256 letters, digits and -._~+/ (its value is not shown). Create one with `openssl rand -hex 32`.',
  ),
);

/** The months that tables keep, from `match_events=24,player_events=12`. */
export const retention = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue }): Retention => {
    const kept: Retention = {};
    for (const entry of list(dataset.value)) {
      const [, table = '', months = ''] = /^(\w+)=([1-9]\d{0,3})$/.exec(entry) ?? [];
      if (isPartitionedTable(table) && kept[table] === undefined) kept[table] = Number(months);
      else
        addIssue({
          message:
            `must be pairs such as match_events=24, with 1 to 9999 months for each of ` +
            `${Object.keys(partitionedTables).join(', ')} at most once, not "${entry}".`,
        });
    }
    return kept;
  }),
);

export function integer(minimum: number, maximum: number) {
  const message = ({ input }: { input: unknown }) =>
    `must be a whole number from ${minimum} to ${maximum}, not "${String(input)}".`;
  return v.pipe(
    v.string(),
    v.regex(/^\d+$/, message),
    v.transform(Number),
    v.minValue(minimum, message),
    v.maxValue(maximum, message),
  );
}

export function oneOf<const Choice extends string>(...choices: Choice[]) {
  return v.picklist(choices, ({ input }) => `must be ${choices.join(' or ')}, not "${String(input)}".`);
}

/** One of the words, or a comma-separated list of at least one item. The message names the first bad item. */
function wordOrList<const Word extends string>(
  words: Word[],
  isGood: (item: string) => boolean,
  expected: string,
) {
  const isWord = (text: string): text is Word => (words as string[]).includes(text);
  const badItem = (text: string) =>
    list(text).length === 0 ? text : list(text).find((item) => !isGood(item));
  return v.pipe(
    v.string(),
    v.check(
      (text) => isWord(text) || badItem(text) === undefined,
      ({ input }) => `must be ${expected}, not "${badItem(input)}".`,
    ),
    v.transform((text) => (isWord(text) ? text : list(text))),
  );
}

/** Whether a text is an address with one of these protocols, a host, and a user and a password that can be decoded. */
function isUrlOf(...protocols: string[]) {
  return (text: string): boolean => {
    const url = URL.parse(text);
    return (
      url !== null &&
      protocols.includes(url.protocol) &&
      url.hostname !== '' &&
      canBeDecoded(url.username + url.password)
    );
  };
}

/** Whether each percent sign of a text begins an encoded character. */
function canBeDecoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isBaseUrl(text: string): boolean {
  const { search, hash, username, password } = new URL(text);
  return !search && !hash && !username && !password;
}

function isPrivateKey(text: string): boolean {
  if (!/^0x[0-9a-f]{64}$/i.test(text)) return false;
  try {
    createECDH('secp256k1').setPrivateKey(text.slice(2), 'hex');
    return true;
  } catch {
    // Zero, or not below the order of the curve.
    return false;
  }
}

function isAddressOrSubnet(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Whether a text is an origin as browsers send it. Apps in a web view have schemes of their own. */
function isWebOrigin(text: string): boolean {
  const url = URL.parse(text);
  if (!url) return false;
  return /^https?:/i.test(text)
    ? url.origin === text && !text.includes('*')
    : /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+(:\d+)?$/.test(text);
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
}
