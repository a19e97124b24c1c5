import { isIP, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { distance } from 'fastest-levenshtein';
import * as v from 'valibot';
import type { ChainSettings, DeploymentSettings } from '../features/wallet/chain/index.ts';
import { OperatorError } from '../core/operator-error.ts';
import type { MetricsAccess } from '../http/metrics.ts';
import type { BucketStorage, ObjectStorage } from '../outbound/object-storage.ts';
import type { Retention } from './retention.ts';
import { FIRST_ISSUE } from './setting-formats.ts';
import { settings, tracingSettings } from './settings.ts';

type Environment = Record<string, string | undefined>;

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
  avatarStorage: ObjectStorage;
  signup: 'open' | 'closed';
  /** Whether the first sign-up becomes platform admin. True if the server starts its own PostgreSQL and listens on loopback. */
  firstSignUpIsAdmin: boolean;
  /** Whether the deployment keeps data that must not be lost. */
  isProduction: boolean;
  mockProvider: boolean;
  /** Whether a change of a profile that several workspaces know needs a proof of identity. */
  profileProof: boolean;
  /** For how many days a refresh token of a player in a game is valid. */
  refreshTokenDays: number;
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
  /** The months that each table keeps. A table without an entry keeps all rows. */
  retention: Retention;
  /** The number of months after which events are archived. If undefined, they are never archived. */
  archiveAfterMonths: number | undefined;
  /** The folder of archived events, or of the copies of those in a bucket. */
  archiveDir: string;
  archiveBucket: BucketStorage | undefined;
  /** How much of a bucket the folder may contain, in bytes. */
  archiveCacheBytes: number;
  demo: boolean;
  trustProxy: boolean | string[];
  /** How long a stopping server waits for its load balancer. */
  drainSeconds: number;
  corsOrigins: '*' | string[];
  metricsAccess: MetricsAccess;
  /** The protocol of traces. If undefined, nothing is traced. */
  traceProtocol: 'http/protobuf' | 'http/json' | undefined;
  logLevel: string;
}

/** Thrown at start, naming every setting that is wrong, one sentence each. */
export class ConfigError extends OperatorError {
  override name = 'ConfigError';
}

/** Reads and checks all settings at once. Throws {@link ConfigError} with one line for each bad one. */
export function readConfig(env: Environment = process.env): Config {
  const { values, problems } = check(settings, env);
  const tracing = readTracing(env);
  problems.push(...tracing.problems, ...missingSettings(env));
  if (!values || problems.length > 0) throw new ConfigError(problems.join('\n'));
  const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, HOST: host, TRUST_PROXY: trustProxy } = values;
  const isPrivate = isLoopback(host) && !trustProxy;
  const isProduction = values.NODE_ENV === 'production';
  return {
    port: values.PORT,
    host,
    publicUrl: values.PUBLIC_URL,
    portalUrl: values.PORTAL_URL,
    dataDir,
    databaseUrl,
    redisUrl: values.REDIS_URL,
    masterKey: values.MASTER_KEY,
    avatarStorage: values.AVATAR_STORAGE_URL ?? { kind: 'folder', path: join(dataDir, 'avatars') },
    signup: values.SIGNUP,
    firstSignUpIsAdmin: !databaseUrl && isLoopback(host),
    isProduction,
    mockProvider: (values.MOCK_PROVIDER ?? (isProduction ? 'off' : 'on')) === 'on',
    profileProof: values.PROFILE_PROOF === 'on',
    refreshTokenDays: values.REFRESH_TOKEN_DAYS,
    storeAUrl: values.STORE_A_URL,
    storeAOpenIdUrl: values.STORE_A_OPENID_URL ?? values.STORE_A_URL,
    storeBUrl: values.STORE_B_URL,
    walletRpcUrls: values.WALLET_RPC_URLS,
    // In development, one account and one machine set up and test whole games.
    keylessLimits: {
      account: values.ACCOUNT_RATE_LIMIT ?? (isProduction ? 30 : 300),
      network: values.NETWORK_RATE_LIMIT ?? (isProduction ? 200 : 2_000),
    },
    alertSuppressionSeconds: values.ALERT_SUPPRESSION_SECONDS,
    chain: chainOf(values),
    smtpUrl: values.SMTP_URL,
    smtpTls: values.SMTP_TLS,
    mailFrom: values.MAIL_FROM,
    allowPrivateAddresses: values.ALLOW_PRIVATE_ADDRESSES === 'on',
    retention: values.RETENTION_MONTHS,
    archiveAfterMonths: values.ARCHIVE_AFTER_MONTHS,
    archiveDir: values.ARCHIVE_DIR ?? join(dataDir, 'archive'),
    archiveBucket: values.ARCHIVE_STORAGE_URL,
    archiveCacheBytes: values.ARCHIVE_CACHE_MEGABYTES * 1_000_000,
    demo: values.GUILDHALL_DEMO === 'on',
    trustProxy,
    drainSeconds: values.DRAIN_SECONDS,
    corsOrigins: values.CORS_ORIGINS ?? [],
    metricsAccess: values.METRICS_TOKEN ? { token: values.METRICS_TOKEN } : isPrivate ? 'open' : 'closed',
    traceProtocol: tracing.values?.OTEL_EXPORTER_OTLP_PROTOCOL,
    logLevel: values.LOG_LEVEL,
  };
}

type Schema = v.ObjectSchema<v.ObjectEntries, undefined>;

/** The values of the settings, or a sentence for each wrong one. */
function check<Settings extends Schema>(
  schema: Settings,
  env: Environment,
): { values: v.InferOutput<Settings> | undefined; problems: string[] } {
  const given = Object.keys(schema.entries).map((name) => [name, env[name]?.trim() || undefined]);
  const parsed = v.safeParse(schema, Object.fromEntries(given), FIRST_ISSUE);
  return {
    values: parsed.success ? parsed.output : undefined,
    problems: (parsed.issues ?? []).map((issue) => `${v.getDotPath(issue)} ${issue.message}`),
  };
}

/** Whether and how to trace. */
function readTracing(env: Environment): ReturnType<typeof check<typeof tracingSettings>> {
  const isOff = env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none';
  const isWanted = env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  if (isOff || !isWanted) return { values: undefined, problems: [] };
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  return check(tracingSettings, { ...env, OTEL_EXPORTER_OTLP_PROTOCOL: protocol });
}

/** The settings that make a chain. All are given, or none. */
const CHAIN = ['CHAIN_RPC_URL', 'CHAIN_CONTRACT_ADDRESS', 'CHAIN_SIGNER_KEY'] as const;

/** A sentence for each setting that another one needs. */
function missingSettings(env: Environment): string[] {
  const isMissing = (name: string) => !env[name]?.trim();
  const missing = CHAIN.filter(isMissing);
  const chain = missing.length === CHAIN.length ? [] : missing;
  const needsMasterKey = !isMissing('DATABASE_URL') && isMissing('MASTER_KEY');
  return [
    ...chain.map(
      (name) =>
        `${name} is missing: a chain needs CHAIN_RPC_URL, CHAIN_SIGNER_KEY, and the CHAIN_CONTRACT_ADDRESS that \`guildhall chain deploy\` prints.`,
    ),
    ...(needsMasterKey
      ? [
          'MASTER_KEY is required with DATABASE_URL. Create one with `openssl rand -hex 32` and store it in a safe place.',
        ]
      : []),
  ];
}

const WEI_PER_GWEI = 1_000_000_000;

function chainOf(values: v.InferOutput<typeof settings>): ChainSettings | undefined {
  const { CHAIN_RPC_URL, CHAIN_CONTRACT_ADDRESS, CHAIN_SIGNER_KEY } = values;
  if (!CHAIN_RPC_URL || !CHAIN_CONTRACT_ADDRESS || !CHAIN_SIGNER_KEY) return undefined;
  return {
    rpcUrl: CHAIN_RPC_URL,
    contract: CHAIN_CONTRACT_ADDRESS,
    signerKey: CHAIN_SIGNER_KEY,
    confirmations: values.CHAIN_CONFIRMATIONS,
    feeLimit: values.CHAIN_MAX_FEE_GWEI * WEI_PER_GWEI,
  };
}

/** Settings have at least this many letters to be compared: HOST and PORT are like too many other names. */
const MIN_COMPARED_LETTERS = 6;
/** A short name has more neighbours that belong to other programs, and such a variable stops the start. */
const maxTypoDistance = (name: string): number => (name.length < 9 ? 1 : 2);

/** A sentence for each variable of the environment that looks like a misspelled setting, such as DATABSE_URL. */
export function misspelledSettings(env: Environment = process.env): string[] {
  const known = Object.keys({ ...settings.entries, ...tracingSettings.entries });
  const names = known.filter((name) => name.length >= MIN_COMPARED_LETTERS);
  return Object.keys(env)
    .filter((given) => !known.includes(given))
    .flatMap((given) => {
      const meant = names.find((name) => distance(name, given) <= maxTypoDistance(name));
      return meant ? [`${given} is not a setting. Did you mean ${meant}? Rename or unset it.`] : [];
    });
}

/** The base address under which clients reach the server; the issuer of its tokens. */
export function issuerOf({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>): string {
  return publicUrl ?? `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** The settings for the deployment of a contract, before there is one. Throws {@link ConfigError}. */
export function readDeployment(env: Environment = process.env): DeploymentSettings {
  // A placeholder, because the contract does not exist yet.
  const { chain } = readConfig({ ...env, CHAIN_CONTRACT_ADDRESS: `0x${'1'.repeat(40)}` });
  return chain!;
}

/** Whether only this machine can reach a server that listens on this address. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
