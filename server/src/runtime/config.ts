import { isIP, isIPv6 } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { distance } from 'fastest-levenshtein';
import type { Address, Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import type { AvatarStorage } from '../features/players/profiles/index.ts';
import type { ChainSettings } from '../features/wallet/chain/index.ts';
import { evmAddress } from '../core/evm-address.ts';
import { OperatorError } from '../core/operator-error.ts';

/**
 * Every setting of the server, in the order in which the documentation lists them.
 * This file is the only reader of the environment.
 */
export const settings = {
  PORT: setting('The TCP port of the API. 0 takes a free one.', '8080', integer(0, 65_535)),
  HOST: setting('The address to listen on. Use 0.0.0.0 to serve other machines.', '127.0.0.1', listenAddress),
  PUBLIC_URL: setting(
    'The base address under which clients reach the server; the issuer of its tokens. Empty: http://HOST:PORT.',
    '',
    httpUrl,
  ),
  PORTAL_URL: setting(
    'The base address of the player portal, which StoreA sends players back to. Empty: PUBLIC_URL.',
    '',
    httpUrl,
  ),
  DATA_DIR: setting(
    'Where the embedded PostgreSQL, the master key and the avatars live.',
    './data',
    directory,
  ),
  DATABASE_URL: setting(
    'A PostgreSQL 15 or newer to use instead of the embedded one. Its user must own the database and may create roles.',
    '',
    postgresUrl,
  ),
  REDIS_URL: setting(
    'A Redis in which several server processes count together what callers have used of their limits: redis:// or rediss://. Empty: each process counts for itself.',
    '',
    redisUrl,
  ),
  MASTER_KEY: setting(
    'Encrypts secrets at rest: 32 bytes as 64 hexadecimal digits. Empty: made once and kept in DATA_DIR. Required with DATABASE_URL.',
    '',
    masterKey,
  ),
  AVATAR_STORAGE_URL: setting(
    'Where avatars are kept: `file:///…` for a folder, or `s3://bucket/prefix?region=…&endpoint=…`. Empty: DATA_DIR/avatars.',
    '',
    avatarStorage,
  ),
  SIGNUP: setting(
    'Who may create a dashboard account: `open` or `closed` (by invitation).',
    'open',
    oneOf('open', 'closed'),
  ),
  MOCK_PROVIDER: setting(
    'Whether tenants may enable the Mock provider: `on` or `off`. Empty: `off` when NODE_ENV is production, else `on`.',
    '',
    oneOf('', 'on', 'off'),
  ),
  PROFILE_PROOF: setting(
    'Whether players whom several workspaces know must prove who they are before a token of one workspace changes how they sign in: `on` or `off`. Turn it off only if all workspaces trust one another.',
    'on',
    oneOf('on', 'off'),
  ),
  STORE_A_URL: setting(
    'The base address of StoreA’s web API, by which tickets are checked. Empty: StoreA is not available.',
    '',
    httpUrl,
  ),
  STORE_A_OPENID_URL: setting(
    'The base address of StoreA’s OpenID service, for the player portal. Empty: the one of STORE_A_URL.',
    '',
    httpUrl,
  ),
  STORE_B_URL: setting(
    'The base address of StoreB’s account service. Empty: StoreB is not available.',
    '',
    httpUrl,
  ),
  WALLET_RPC_URLS: setting(
    'JSON-RPC nodes that are asked about the signatures of contract wallets: `1=https://…,137=https://…`, by chain id. Empty: none, so that only wallets with a key of their own sign in.',
    '',
    rpcUrls,
  ),
  ACCOUNT_RATE_LIMIT: setting(
    'The requests that a dashboard account, or a player without a key, may send in a second, averaged over 10 seconds.',
    '30',
    integer(5, 1_000_000),
  ),
  NETWORK_RATE_LIMIT: setting(
    'The requests without a key that a network may send in a second, averaged over 10 seconds.',
    '200',
    integer(5, 1_000_000),
  ),
  ALERT_SUPPRESSION_SECONDS: setting(
    'How long a key raises no second alert of the same type.',
    '900',
    integer(1, 31 * 24 * 60 * 60),
  ),
  CHAIN_RPC_URL: setting(
    'The JSON-RPC node of the EVM chain that wallet-linked recordings are written to. Empty: they are written to the database alone.',
    '',
    rpcUrl,
  ),
  CHAIN_CONTRACT_ADDRESS: setting(
    'The contract on that chain, as `guildhall chain deploy` prints it.',
    '',
    contractAddress,
  ),
  CHAIN_SIGNER_KEY: setting(
    'The private key that signs and pays for the transactions: 0x and 64 hexadecimal digits.',
    '',
    signerKey,
  ),
  CHAIN_CONFIRMATIONS: setting(
    'How many blocks, its own included, make a transaction final.',
    '12',
    integer(1, 10_000),
  ),
  SMTP_URL: setting(
    'The mail server: smtp:// or smtps://, with user and password where it asks for them. Empty: mails stay in the outbox.',
    '',
    smtpUrl,
  ),
  SMTP_TLS: setting(
    'Whether mails need TLS: `required`, or `opportunistic` (TLS if the server offers it). Empty: required, unless the server is on this machine.',
    '',
    smtpTls,
  ),
  MAIL_FROM: setting(
    'The sender of mails: an address, or a name and an address in angle brackets.',
    'Guildhall <guildhall@localhost>',
    sender,
  ),
  ALLOW_PRIVATE_ADDRESSES: setting(
    'Whether addresses that tenants name (webhooks, issuers of wallet tokens) may be private ones, and issuers plain http: `on` or `off`. For tests.',
    'off',
    oneOf('on', 'off'),
  ),
  GUILDHALL_DEMO: setting(
    'Whether an empty embedded database is filled with an admin, a demo tenant and its keys: `on` or `off`.',
    'on',
    oneOf('on', 'off'),
  ),
  TRUST_PROXY: setting(
    'Whose X-Forwarded-* headers to believe: `off`, `on`, or a comma-separated list of addresses and subnets.',
    'off',
    trustedProxies,
  ),
  CORS_ORIGINS: setting(
    'Which web origins may call the API: `*` or a comma-separated list. Empty: none.',
    '',
    webOrigins,
  ),
  METRICS_TOKEN: setting(
    'The bearer token that /metrics asks for. Empty: it is open if HOST is a loopback address and TRUST_PROXY is off, else closed.',
    '',
    metricsToken,
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    'The address of an OpenTelemetry collector, for example http://localhost:4318. Empty: nothing is traced.',
    '',
    httpUrl,
  ),
  OTEL_SERVICE_NAME: setting('The name of the service in traces.', 'guildhall', String),
  OTEL_EXPORTER_OTLP_PROTOCOL: setting(
    'How traces are sent: `http/protobuf` or `http/json`.',
    'http/protobuf',
    oneOf('http/protobuf', 'http/json'),
  ),
  OTEL_TRACES_SAMPLER: setting(
    'Which requests are traced: always_on, always_off, traceidratio, and the same three with parentbased_ in front.',
    'parentbased_always_on',
    oneOf(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
  ),
  OTEL_TRACES_SAMPLER_ARG: setting(
    'The part of the requests that the traceidratio samplers trace, from 0 to 1.',
    '1',
    fraction,
  ),
  LOG_LEVEL: setting(
    'fatal, error, warn, info, debug, trace or silent. `debug` writes a line for every request.',
    'info',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  ),
  NODE_ENV: setting(
    'development, test or production. `production` turns off what is only meant for development.',
    'development',
    oneOf('development', 'test', 'production'),
  ),
} as const;

/** The validated settings, with the values that follow from them. */
export interface Config {
  port: number;
  host: string;
  publicUrl: string | undefined;
  portalUrl: string | undefined;
  dataDir: string;
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  masterKey: Buffer | undefined;
  avatarStorage: AvatarStorage;
  signup: 'open' | 'closed';
  /** Whether a sign-up may make the first platform admin: only people on this machine reach the server. */
  firstSignUpIsAdmin: boolean;
  mockProvider: boolean;
  /** Whether a profile that several workspaces know is changed with a proof of identity alone. */
  profileProof: boolean;
  storeAUrl: string | undefined;
  storeAOpenIdUrl: string | undefined;
  storeBUrl: string | undefined;
  /** By chain id. */
  walletRpcUrls: ReadonlyMap<number, string>;
  /** Requests without a key in a second. */
  keylessLimits: { account: number; network: number };
  alertSuppressionSeconds: number;
  chain: ChainSettings | undefined;
  smtpUrl: string | undefined;
  smtpTls: 'required' | 'opportunistic' | undefined;
  mailFrom: string;
  allowPrivateAddresses: boolean;
  demo: boolean;
  trustProxy: boolean | string[];
  corsOrigins: '*' | string[];
  /** Who may read /metrics: everybody who reaches it, nobody, or who knows the token. */
  metricsAccess: 'open' | 'closed' | { token: string };
  /** How traces are sent. Undefined: nothing is traced. The libraries of OpenTelemetry read the other OTEL_ settings. */
  tracing: { protocol: 'http/protobuf' | 'http/json' } | undefined;
  logLevel: string;
}

/** Thrown at start, naming every setting that is wrong, one sentence each. */
export class ConfigError extends OperatorError {
  override name = 'ConfigError';
}

/** Reads and checks all settings at once. Throws {@link ConfigError} with one line for each bad one. */
export function readConfig(env: Record<string, string | undefined> = process.env): Config {
  const problems: string[] = [];
  const read = <Value>(name: keyof typeof settings, parse: (value: string) => Value): Value => {
    try {
      return parse((env[name] ?? settings[name].fallback).trim());
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`);
      return undefined as Value;
    }
  };

  const production = read('NODE_ENV', settings.NODE_ENV.parse) === 'production';
  const mockProvider = read('MOCK_PROVIDER', settings.MOCK_PROVIDER.parse);
  const storeAUrl = read('STORE_A_URL', settings.STORE_A_URL.parse);
  const dataDir = read('DATA_DIR', settings.DATA_DIR.parse);
  const host = read('HOST', settings.HOST.parse);
  const trustProxy = read('TRUST_PROXY', settings.TRUST_PROXY.parse);
  const token = read('METRICS_TOKEN', settings.METRICS_TOKEN.parse);
  const databaseUrl = read('DATABASE_URL', settings.DATABASE_URL.parse);
  const config: Config = {
    port: read('PORT', settings.PORT.parse),
    host,
    publicUrl: read('PUBLIC_URL', settings.PUBLIC_URL.parse),
    portalUrl: read('PORTAL_URL', settings.PORTAL_URL.parse),
    dataDir,
    databaseUrl,
    redisUrl: read('REDIS_URL', settings.REDIS_URL.parse),
    masterKey: read('MASTER_KEY', settings.MASTER_KEY.parse),
    avatarStorage: read('AVATAR_STORAGE_URL', settings.AVATAR_STORAGE_URL.parse) ?? {
      kind: 'folder',
      path: join(dataDir ?? '', 'avatars'),
    },
    signup: read('SIGNUP', settings.SIGNUP.parse),
    firstSignUpIsAdmin: !databaseUrl && isLoopback(host),
    mockProvider: mockProvider === '' ? !production : mockProvider === 'on',
    profileProof: read('PROFILE_PROOF', settings.PROFILE_PROOF.parse) === 'on',
    storeAUrl,
    storeAOpenIdUrl: read('STORE_A_OPENID_URL', settings.STORE_A_OPENID_URL.parse) ?? storeAUrl,
    storeBUrl: read('STORE_B_URL', settings.STORE_B_URL.parse),
    walletRpcUrls: read('WALLET_RPC_URLS', settings.WALLET_RPC_URLS.parse),
    keylessLimits: {
      account: read('ACCOUNT_RATE_LIMIT', settings.ACCOUNT_RATE_LIMIT.parse),
      network: read('NETWORK_RATE_LIMIT', settings.NETWORK_RATE_LIMIT.parse),
    },
    alertSuppressionSeconds: read('ALERT_SUPPRESSION_SECONDS', settings.ALERT_SUPPRESSION_SECONDS.parse),
    chain: readChain(read, problems),
    smtpUrl: read('SMTP_URL', settings.SMTP_URL.parse),
    smtpTls: read('SMTP_TLS', settings.SMTP_TLS.parse),
    mailFrom: read('MAIL_FROM', settings.MAIL_FROM.parse),
    allowPrivateAddresses: read('ALLOW_PRIVATE_ADDRESSES', settings.ALLOW_PRIVATE_ADDRESSES.parse) === 'on',
    demo: read('GUILDHALL_DEMO', settings.GUILDHALL_DEMO.parse) === 'on',
    trustProxy,
    corsOrigins: read('CORS_ORIGINS', settings.CORS_ORIGINS.parse),
    metricsAccess: token ? { token } : isLoopback(host) && !trustProxy ? 'open' : 'closed',
    tracing: readTracing(read, env),
    logLevel: read('LOG_LEVEL', settings.LOG_LEVEL.parse),
  };
  if (
    config.databaseUrl &&
    !config.masterKey &&
    !problems.some((problem) => problem.startsWith('MASTER_KEY'))
  ) {
    problems.push(
      'MASTER_KEY is required with DATABASE_URL: make one with `openssl rand -hex 32` and keep it safe.',
    );
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return config;
}

/** Settings have at least this many letters to be compared: HOST and PORT are like too many other names. */
const MIN_COMPARED_LETTERS = 6;
/** A short name has more neighbours that belong to other programs, and such a variable stops the start. */
const maxTypoDistance = (name: string): number => (name.length < 9 ? 1 : 2);

/** A sentence for each variable of the environment that looks like a misspelled setting, such as DATABSE_URL. */
export function misspelledSettings(env: Record<string, string | undefined> = process.env): string[] {
  const names = Object.keys(settings).filter((name) => name.length >= MIN_COMPARED_LETTERS);
  return Object.keys(env)
    .filter((given) => !(given in settings))
    .flatMap((given) => {
      const meant = names.find((name) => distance(name, given) <= maxTypoDistance(name));
      return meant ? [`${given} is not a setting. Did you mean ${meant}? Rename or unset it.`] : [];
    });
}

/** The base address under which clients reach the server; the issuer of its tokens. */
export function issuerOf({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>): string {
  return publicUrl ?? `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

type Read = <Value>(name: keyof typeof settings, parse: (value: string) => Value) => Value;

/** All settings of the chain, or none. */
function readChain(read: Read, problems: string[]): ChainSettings | undefined {
  const before = problems.length;
  const rpcUrl = read('CHAIN_RPC_URL', settings.CHAIN_RPC_URL.parse);
  const contract = read('CHAIN_CONTRACT_ADDRESS', settings.CHAIN_CONTRACT_ADDRESS.parse);
  const signerKey = read('CHAIN_SIGNER_KEY', settings.CHAIN_SIGNER_KEY.parse);
  const confirmations = read('CHAIN_CONFIRMATIONS', settings.CHAIN_CONFIRMATIONS.parse);
  if (rpcUrl && contract && signerKey) return { rpcUrl, contract, signerKey, confirmations };
  if (problems.length > before) return undefined;
  const given = { CHAIN_RPC_URL: rpcUrl, CHAIN_CONTRACT_ADDRESS: contract, CHAIN_SIGNER_KEY: signerKey };
  const missing = Object.entries(given).filter(([, value]) => value === undefined);
  if (missing.length < 3)
    problems.push(
      ...missing.map(
        ([name]) => `${name} is missing: a chain takes all of ${Object.keys(given).join(', ')}.`,
      ),
    );
  return undefined;
}

/**
 * Whether and how to trace. The variables without an entry in {@link settings} are those of the OpenTelemetry specification
 * that switch traces alone.
 */
function readTracing(read: Read, env: Record<string, string | undefined>): Config['tracing'] {
  const isOff = env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none';
  const isWanted = env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  if (isOff || !isWanted) return undefined;
  read('OTEL_EXPORTER_OTLP_ENDPOINT', settings.OTEL_EXPORTER_OTLP_ENDPOINT.parse);
  read('OTEL_TRACES_SAMPLER', settings.OTEL_TRACES_SAMPLER.parse);
  read('OTEL_TRACES_SAMPLER_ARG', settings.OTEL_TRACES_SAMPLER_ARG.parse);
  const { parse } = settings.OTEL_EXPORTER_OTLP_PROTOCOL;
  const ofTraces = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'];
  return { protocol: read('OTEL_EXPORTER_OTLP_PROTOCOL', (value) => parse(ofTraces || value)) };
}

/** What it takes to deploy a contract, before there is one. Throws {@link ConfigError}. */
export function readDeployment(
  env: Record<string, string | undefined> = process.env,
): Pick<ChainSettings, 'rpcUrl' | 'signerKey'> {
  // Any contract stands for the one that is yet to be deployed.
  const { chain } = readConfig({ ...env, CHAIN_CONTRACT_ADDRESS: `0x${'1'.repeat(40)}` });
  return chain!;
}

function setting<Value>(description: string, fallback: string, parse: (value: string) => Value) {
  return { description, fallback, parse };
}

function listenAddress(value: string): string {
  if (isIP(value) === 0 && !/^[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(value))
    throw new Error(`must be an IP address or a host name, such as 127.0.0.1, not "${value}".`);
  return value;
}

/** Whether only this machine can reach a server that listens on this address. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function integer(minimum: number, maximum: number) {
  return (value: string): number => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < minimum || number > maximum) {
      throw new Error(`must be a whole number from ${minimum} to ${maximum}, not "${value}".`);
    }
    return number;
  };
}

function fraction(value: string): number {
  const number = Number(value);
  if (value === '' || !(number >= 0 && number <= 1))
    throw new Error(`must be a number from 0 to 1, not "${value}".`);
  return number;
}

function oneOf<const Choice extends string>(...choices: Choice[]) {
  return (value: string): Choice => {
    if (!choices.includes(value as Choice)) {
      throw new Error(`must be ${choices.filter(Boolean).join(' or ')}, not "${value}".`);
    }
    return value as Choice;
  };
}

function directory(value: string): string {
  if (value === '') throw new Error('must name a folder.');
  // PostgreSQL's own tools hand the path to a shell between double quotes.
  if (/["$`\\\n]/.test(value))
    throw new Error('may hold no quotation mark, dollar sign, backtick or backslash.');
  return resolve(value);
}

function httpUrl(value: string): string | undefined {
  if (value === '') return undefined;
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new Error(`must be an http or https address, not "${value}".`);
  }
  const { search, hash, username, password } = new URL(value);
  if (search || hash || username || password) {
    throw new Error('may hold no user, query or fragment (its value is not shown, it may hold a password).');
  }
  return value.replace(/\/+$/, '');
}

function rpcUrls(value: string): ReadonlyMap<number, string> {
  const urls = new Map<number, string>();
  for (const [index, entry] of list(value).entries()) {
    const [, chainId, url = ''] = /^([1-9]\d{0,14})=(https?:\/\/.+)$/.exec(entry) ?? [];
    if (!chainId || !URL.canParse(url) || new URL(url).username || urls.has(Number(chainId))) {
      throw new Error(
        `must be a comma-separated list of <chain id>=<http or https address>, each chain once and without a user name; ` +
          `entry ${index + 1} is not (its value is not shown, it may hold a key).`,
      );
    }
    urls.set(Number(chainId), url);
  }
  return urls;
}

function rpcUrl(value: string): string | undefined {
  if (value === '') return undefined;
  if (!/^https?:\/\//.test(value) || !URL.canParse(value) || new URL(value).username)
    throw new Error(
      'must be an http or https address without a user name (its value is not shown, it may hold a key).',
    );
  return value;
}

function contractAddress(value: string): Address | undefined {
  if (value === '') return undefined;
  const address = evmAddress(value);
  if (!address) throw new Error(`must be an EVM address, its checksum right, not "${value}".`);
  return address;
}

function signerKey(value: string): Hex | undefined {
  if (value === '') return undefined;
  try {
    if (!/^0x[0-9a-f]{64}$/i.test(value)) throw new Error();
    privateKeyToAddress(value as Hex);
    return value as Hex;
  } catch {
    throw new Error('must be a private key of 0x and 64 hexadecimal digits (its value is not shown).');
  }
}

function smtpUrl(value: string): string | undefined {
  if (value === '') return undefined;
  if (!/^smtps?:\/\/./.test(value) || !URL.canParse(value)) {
    throw new Error('must start with smtp:// or smtps:// (its value is not shown, it may hold a password).');
  }
  // The options of the mail library: they would win over ours, which require TLS.
  if (new URL(value).search !== '') throw new Error('may not hold parameters (its value is not shown).');
  return value;
}

function smtpTls(value: string): 'required' | 'opportunistic' | undefined {
  if (value === '') return undefined;
  if (value === 'required' || value === 'opportunistic') return value;
  throw new Error(`must be required or opportunistic, not "${value}".`);
}

function sender(value: string): string {
  if (!/^(?:[^<>@,;:"\r\n]+ <[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/.test(value)) {
    throw new Error(`must be an address, or a name and <an address>, not "${value}".`);
  }
  return value;
}

function postgresUrl(value: string): string | undefined {
  if (value === '') return undefined;
  // A URL that leads to a socket has no host.
  if (!/^postgres(ql)?:\/\//.test(value) || !URL.canParse(value.replace('@/', '@localhost/'))) {
    throw new Error(
      'must be an address that starts with postgres:// (its value is not shown, it may hold a password).',
    );
  }
  // The driver would let them win over ours, which give up the owner's rights: row-level security would hold no more.
  if (new URLSearchParams(value.split('?')[1]).has('options'))
    throw new Error('may not hold the parameter "options".');
  return value;
}

function redisUrl(value: string): string | undefined {
  if (value === '') return undefined;
  if (!/^rediss?:\/\/./.test(value) || !URL.canParse(value)) {
    throw new Error(
      'must start with redis:// or rediss:// (its value is not shown, it may hold a password).',
    );
  }
  return value;
}

function avatarStorage(value: string): AvatarStorage | undefined {
  if (value === '') return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol === 'file:' && url.hostname === '') return { kind: 'folder', path: fileURLToPath(url) };
  if (url?.protocol !== 's3:' || url.hostname === '' || url.username !== '')
    throw new Error('must start with file:/// or s3://bucket, and hold no credentials.');
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'region' && name !== 'endpoint');
  if (unknown !== undefined) throw new Error(`may hold region and endpoint, not "${unknown}".`);
  return {
    kind: 's3',
    bucket: url.hostname,
    prefix: url.pathname.replace(/^\/+|\/+$/g, ''),
    region: url.searchParams.get('region') ?? 'us-east-1',
    endpoint: httpUrl(url.searchParams.get('endpoint') ?? ''),
  };
}

function masterKey(value: string): Buffer | undefined {
  if (value === '') return undefined;
  if (!/^[0-9a-f]{64}$/i.test(value)) {
    throw new Error('must be 64 hexadecimal digits: make one with `openssl rand -hex 32`.');
  }
  return Buffer.from(value, 'hex');
}

function trustedProxies(value: string): boolean | string[] {
  if (value === 'on') return true;
  if (value === 'off' || value === '') return false;
  const proxies = list(value);
  const bad = proxies.find((proxy) => !isAddressOrSubnet(proxy));
  if (proxies.length === 0 || bad !== undefined)
    throw new Error(
      `must be off, on, or a comma-separated list of IP addresses and subnets such as 10.0.0.0/8, not "${bad ?? value}".`,
    );
  return proxies;
}

function isAddressOrSubnet(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

function webOrigins(value: string): '*' | string[] {
  if (value === '*') return value;
  const origins = list(value);
  const bad = origins.find((origin) => !isWebOrigin(origin));
  if (bad !== undefined || (origins.length === 0 && value !== ''))
    throw new Error(
      `must be * or a comma-separated list of origins such as https://play.example, without a path, not "${bad ?? value}".`,
    );
  return origins;
}

/** Spelled as browsers send it, for it is compared with what they send. Apps in a web view have schemes of their own. */
function isWebOrigin(value: string): boolean {
  if (!URL.canParse(value)) return false;
  return /^https?:/i.test(value)
    ? new URL(value).origin === value && !value.includes('*')
    : /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+(:\d+)?$/.test(value);
}

function metricsToken(value: string): string | undefined {
  if (value === '') return undefined;
  if (!/^[\w.~+/-]{16,256}=*$/.test(value))
    throw new Error(
      'must be 16 to 256 letters, digits and -._~+/ (its value is not shown): make one with `openssl rand -hex 32`.',
    );
  return value;
}

function list(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
}
