import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { ConfigError, readConfig, readDeployment, misspelledSettings } from './config.ts';
import { settings, tracingSettings } from './settings.ts';

describe('settings', () => {
  test('uses the defaults without any setting', () => {
    const config = readConfig({});
    assert.equal(config.port, 8080);
    assert.equal(config.host, '127.0.0.1');
    assert.equal(config.databaseUrl, undefined);
    assert.equal(config.mockProvider, true);
    assert.equal(config.trustProxy, false);
  });

  test('names every bad setting at once, and shows no secret', () => {
    const env = {
      PORT: '80 80',
      SIGNUP: 'maybe',
      PUBLIC_URL: 'ftp://x',
      DATABASE_URL: 'mysql://u:hunter2@h',
      MASTER_KEY: 'hunter2',
      SMTP_URL: 'http://u:hunter2@h',
      SMTP_TLS: 'maybe',
      MAIL_FROM: 'Guild <a@b>, c@d',
    };
    assert.throws(
      () => readConfig(env),
      (error: Error) => {
        assert.ok(error instanceof ConfigError);
        for (const name of Object.keys(env)) assert.match(error.message, new RegExp(`^${name} `, 'm'));
        assert.doesNotMatch(error.message, /hunter2/);
        return true;
      },
    );
  });

  test('refuses a base address with a user, query or fragment, and shows nothing of it', () => {
    for (const url of ['https://me:hunter2@x', 'https://x/?hunter2', 'https://x/#hunter2'])
      assert.throws(
        () => readConfig({ PORTAL_URL: url }),
        (error: Error) =>
          error.message.startsWith('PORTAL_URL must not contain a user') &&
          !error.message.includes('hunter2'),
      );
    assert.equal(readConfig({ PORTAL_URL: 'https://x/me//' }).portalUrl, 'https://x/me');
  });

  test('says how to write a password with special characters', () => {
    for (const [name, scheme] of [
      ['DATABASE_URL', 'postgres'],
      ['REDIS_URL', 'redis'],
      ['SMTP_URL', 'smtp'],
    ] as const)
      for (const password of name === 'DATABASE_URL' ? ['hunter2%x'] : ['hunter2/x', 'hunter2%x'])
        assert.throws(
          () => readConfig({ [name]: `${scheme}://u:${password}@h`, MASTER_KEY: 'ab'.repeat(32) }),
          ({ message }: Error) =>
            message.startsWith(`${name} must`) &&
            message.endsWith('%2F for /.') &&
            !message.includes('hunter2'),
          name,
        );
  });

  test('refuses a database address whose password ends the host too early, and shows nothing of it', () => {
    const read = (address: string) =>
      readConfig({ DATABASE_URL: `postgres://${address}`, MASTER_KEY: 'ab'.repeat(32) }).databaseUrl;
    for (const address of [
      'u:p@hunter2/w@127.0.0.1:5999/g',
      'u:hunter2/w@h/g',
      'u:hunter2,h/w@h/g',
      'u:p@hunter2/a=b@h/g?sslmode=require',
      'u:p@hunter2?w@h/g',
      'u:p@hunter2#w@h/g',
    ])
      assert.throws(
        () => read(address),
        {
          message:
            'DATABASE_URL has an @ after its host. Encode @, /, ? and # in the user, the password and the database: %40, %2F, %3F, %23.',
        },
        address,
      );
    for (const good of [
      'u:p@w@h/g',
      'u:p%40%2Fw@h:5432/g%40',
      'u@h/g?sslrootcert=/etc/openssl@3/ca.pem',
      'u:p@/g?host=/run/a@b&user=a@b',
      'h',
    ])
      assert.ok(read(good), good);
  });

  test('refuses folders with characters of a shell, and database addresses that set our options or timeouts', () => {
    assert.throws(
      () => readConfig({ DATA_DIR: '/tmp/$(reboot)' }),
      /^ConfigError: DATA_DIR must not contain a/,
    );
    for (const query of ['?options=-c%20x=y', '?sslmode=require&opt%69ons=x'])
      assert.throws(
        () => readConfig({ DATABASE_URL: `postgres://localhost/g${query}`, MASTER_KEY: 'ab'.repeat(32) }),
        /DATABASE_URL must not have the parameter "options"/,
      );
    for (const name of ['statement_timeout', 'lock_timeout', 'query_timeout'])
      assert.throws(
        () =>
          readConfig({ DATABASE_URL: `postgres://localhost/g?${name}=3000`, MASTER_KEY: 'ab'.repeat(32) }),
        new RegExp(`DATABASE_URL must not have the parameter "${name}"`),
      );
  });

  test('refuses several hosts of a database, and accepts commas elsewhere', () => {
    const read = (address: string) =>
      readConfig({ DATABASE_URL: `postgres://${address}`, MASTER_KEY: 'ab'.repeat(32) }).databaseUrl;
    for (const several of ['u:p@a,b/g', 'a:1,b:2/g?target_session_attrs=read-write', 'a,b', 'u@/g?host=a,b'])
      assert.throws(() => read(several), /DATABASE_URL must have one host\. /, several);
    for (const one of ['u:p,w@h/g', 'u@h/g,h', 'u@h/g?application_name=a,b']) assert.ok(read(one));
  });

  test('requires a master key for an external database', () => {
    assert.throws(() => readConfig({ DATABASE_URL: 'postgres://localhost/g' }), /MASTER_KEY is required/);
    assert.doesNotThrow(() =>
      readConfig({ DATABASE_URL: 'postgres://localhost/g', MASTER_KEY: 'ab'.repeat(32) }),
    );
  });

  test('limits requests without a key less outside production, unless the limits are set', () => {
    const limitsOf = (env: Record<string, string>) => readConfig(env).keylessLimits;
    assert.deepEqual(limitsOf({}), { account: 300, network: 2_000 });
    assert.deepEqual(limitsOf({ NODE_ENV: 'production' }), { account: 30, network: 200 });
    const given = { ACCOUNT_RATE_LIMIT: '7', NETWORK_RATE_LIMIT: '8' };
    assert.deepEqual(limitsOf(given), { account: 7, network: 8 });
  });

  test('turns Mock off in production, unless it is switched on', () => {
    assert.equal(readConfig({ NODE_ENV: 'production' }).mockProvider, false);
    assert.equal(readConfig({ NODE_ENV: 'production', MOCK_PROVIDER: 'on' }).mockProvider, true);
    assert.equal(readConfig({ MOCK_PROVIDER: 'off' }).mockProvider, false);
  });

  test('lists the nodes of chains by chain id, and names a bad entry without its key', () => {
    const { walletRpcUrls } = readConfig({
      WALLET_RPC_URLS: '1=https://one.example/v2/key/, 137=http://[::1]:8545',
    });
    assert.deepEqual(
      [...walletRpcUrls],
      [
        [1, 'https://one.example/v2/key/'],
        [137, 'http://[::1]:8545'],
      ],
    );
    assert.equal(readConfig({}).walletRpcUrls.size, 0);
    for (const bad of [
      'https://hunter2.example',
      '0=https://hunter2.example',
      'x=https://hunter2.example',
      '2=ftp://hunter2.example',
      '2=hunter2',
      '1=https://hunter2.example',
      '2=https://user:hunter2@one.example',
      `${'9'.repeat(16)}=https://hunter2.example`,
    ])
      assert.throws(
        () => readConfig({ WALLET_RPC_URLS: `1=https://one.example,${bad}` }),
        (error: Error) =>
          /^WALLET_RPC_URLS .* entry 2 /.test(error.message) && !error.message.includes('hunter2'),
        bad,
      );
  });

  const CHAIN = {
    CHAIN_RPC_URL: 'https://node.example/v2/key',
    CHAIN_CONTRACT_ADDRESS: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
    CHAIN_SIGNER_KEY: `0x${'ab'.repeat(32)}`,
  };

  test('requires all settings of a chain, or none', () => {
    assert.deepEqual(readConfig(CHAIN).chain, {
      rpcUrl: CHAIN.CHAIN_RPC_URL,
      contract: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
      signerKey: CHAIN.CHAIN_SIGNER_KEY,
      confirmations: 12,
      feeLimit: 500_000_000_000,
    });
    assert.equal(readConfig({}).chain, undefined);
    assert.equal(readConfig({ CHAIN_CONFIRMATIONS: '3' }).chain, undefined);
    for (const missing of Object.keys(CHAIN))
      assert.throws(
        () => readConfig({ ...CHAIN, [missing]: '' }),
        ({ message }: Error) =>
          message.startsWith(`${missing} is missing: `) &&
          message.includes('`guildhall chain deploy` prints') &&
          !message.includes('\n'),
      );
    const { CHAIN_CONTRACT_ADDRESS: _, ...yetToDeploy } = CHAIN;
    assert.equal(readDeployment(yetToDeploy).signerKey, CHAIN.CHAIN_SIGNER_KEY);
    assert.throws(() => readDeployment({}), /CHAIN_RPC_URL is missing[^]*CHAIN_SIGNER_KEY is missing/);
  });

  test('names a bad setting of the chain, and shows no secret', () => {
    for (const [name, bad] of [
      ['CHAIN_RPC_URL', 'ws://hunter2.example'],
      ['CHAIN_RPC_URL', 'https://hunter2@node.example'],
      ['CHAIN_SIGNER_KEY', 'hunter2'],
      ['CHAIN_SIGNER_KEY', 'ab'.repeat(32)],
      ['CHAIN_SIGNER_KEY', `0x${'00'.repeat(32)}`],
      ['CHAIN_SIGNER_KEY', `0x${'ff'.repeat(32)}`],
      ['CHAIN_CONTRACT_ADDRESS', '0x5fbDB2315678afecb367f032d93F642f64180aa3'],
      ['CHAIN_CONTRACT_ADDRESS', '0x1'],
      ['CHAIN_CONFIRMATIONS', '0'],
    ] as const)
      assert.throws(
        () => readConfig({ ...CHAIN, [name]: bad }),
        ({ message }: Error) =>
          message.startsWith(`${name} must`) &&
          !message.includes('\n') &&
          !message.includes('hunter2') &&
          (name !== 'CHAIN_SIGNER_KEY' || !message.includes(bad)),
        bad,
      );
  });

  test('stores avatars in DATA_DIR, a folder or a bucket', () => {
    const storage = (value?: string) =>
      readConfig({ DATA_DIR: '/data', ...(value && { AVATAR_STORAGE_URL: value }) }).avatarStorage;
    assert.deepEqual(storage(), { kind: 'folder', path: '/data/avatars' });
    assert.deepEqual(storage('file:///srv/my%20pictures'), { kind: 'folder', path: '/srv/my pictures' });
    const plain = { kind: 's3', bucket: 'b', prefix: '', region: 'us-east-1', endpoint: undefined };
    assert.deepEqual(storage('s3://b'), plain);
    assert.deepEqual(storage('s3://b/a/b/?region=eu-1&endpoint=https://s3.example.com/'), {
      ...plain,
      prefix: 'a/b',
      region: 'eu-1',
      endpoint: 'https://s3.example.com',
    });
    for (const bad of [
      'b',
      'http://b',
      's3:///b',
      's3://key:hunter2@b',
      's3://b?acl=public',
      's3://b?endpoint=x',
      'file://host/x',
      'file:///srv/100%',
    ])
      assert.throws(
        () => storage(bad),
        ({ message }: Error) => message.startsWith('AVATAR_STORAGE_URL ') && !message.includes('hunter2'),
        bad,
      );
  });

  test('refuses proxies that are no addresses or subnets', () => {
    const proxies = (value: string) => readConfig({ TRUST_PROXY: value }).trustProxy;
    assert.deepEqual(proxies('10.0.0.1, 10.1.0.0/16 ,::1,fd00::/8'), [
      '10.0.0.1',
      '10.1.0.0/16',
      '::1',
      'fd00::/8',
    ]);
    assert.deepEqual([proxies('on'), proxies('off'), proxies('')], [true, false, false]);
    for (const bad of [
      'proxy.internal',
      'true',
      '1',
      '10.0.0.0/33',
      '10.0.0.0/',
      '10.0.0.0/-1',
      '10.0.0/8',
      '::/129',
      'fe80::1%eth0',
      '10.0.0.1/255.0.0.0',
      ',',
    ])
      assert.throws(
        () => proxies(bad),
        ({ message }: Error) => /^TRUST_PROXY must .*\.$/.test(message) && message.includes(`"${bad}"`),
        bad,
      );
    assert.throws(() => proxies('10.0.0.1, 10.0.0.0/99'), /TRUST_PROXY .* not "10\.0\.0\.0\/99"\.$/);
  });

  test('refuses origins that no browser would send', () => {
    const origins = (value: string) => readConfig({ CORS_ORIGINS: value }).corsOrigins;
    assert.equal(origins('*'), '*');
    assert.deepEqual(origins(''), []);
    const good = [
      'https://play.example',
      'http://localhost:3000',
      'capacitor://localhost',
      'http://[::1]:3000',
    ];
    assert.deepEqual(origins(good.join(' , ')), good);
    for (const bad of [
      'play.example',
      'https://play.example/',
      'https://play.example/game',
      'https://play.example:443',
      'https://PLAY.example',
      'https://*.example',
      'https://u@play.example',
      'https://',
      'null',
      'https://a.example *',
      ',',
    ])
      assert.throws(
        () => origins(bad),
        ({ message }: Error) => /^CORS_ORIGINS must .*\.$/.test(message) && message.includes(`"${bad}"`),
        bad,
      );
    assert.throws(() => origins('https://a.example,*'), /^ConfigError: CORS_ORIGINS must .* not "\*"\.$/);
  });

  test('refuses other values that would fail later, and shows no secret', () => {
    for (const [name, bad] of [
      ['HOST', 'a b'],
      ['HOST', 'http://0.0.0.0'],
      ['HOST', '0.0.0.0:8080'],
      ['NODE_ENV', 'prod'],
      ['DATABASE_URL', 'postgres://u:hunter2@h:99999/db'],
      ['REDIS_URL', 'redis://'],
      ['SMTP_URL', 'smtp://'],
      ['METRICS_TOKEN', 'hunter2'],
      ['METRICS_TOKEN', 'hunter2 with spaces in it'],
    ] as const)
      assert.throws(
        () => readConfig({ [name]: bad, ...(name === 'DATABASE_URL' && { MASTER_KEY: 'ab'.repeat(32) }) }),
        ({ message }: Error) =>
          message.startsWith(`${name} must`) && !message.includes('\n') && !message.includes('hunter2'),
        `${name}=${bad}`,
      );
    for (const good of ['postgres:///g?host=/run/postgresql', 'postgres://u:p@/g?host=/run/postgresql'])
      assert.equal(readConfig({ DATABASE_URL: good, MASTER_KEY: 'ab'.repeat(32) }).databaseUrl, good);
  });

  test('opens the metrics only on a loopback address without a proxy', () => {
    const access = (env: Record<string, string>) => readConfig(env).metricsAccess;
    for (const HOST of ['127.0.0.1', '127.1.2.3', '::1', 'localhost'])
      assert.equal(access({ HOST }), 'open', HOST);
    for (const HOST of ['0.0.0.0', '::', '10.0.0.1', '127.example.com'])
      assert.equal(access({ HOST }), 'closed', HOST);
    assert.equal(access({ TRUST_PROXY: '127.0.0.1' }), 'closed');
    const token = 'ab'.repeat(16);
    assert.deepEqual(access({ METRICS_TOKEN: token }), { token });
  });

  test('keeps all rows of a table, or the months that a setting names', () => {
    const retention = (RETENTION_MONTHS: string) => readConfig({ RETENTION_MONTHS }).retention;
    assert.deepEqual(retention(''), {});
    assert.deepEqual(retention('match_events=24, login_ledger=1'), { match_events: 24, login_ledger: 1 });
    for (const bad of [
      'match_events',
      'match_events=0',
      'players=3',
      'match_events=1,match_events=2',
      'constructor=3',
    ])
      assert.throws(() => retention(bad), /RETENTION_MONTHS must be pairs such as match_events=24/, bad);
  });

  test('traces only with a collector, and not if a setting of OpenTelemetry turns it off', () => {
    const protocol = (env: Record<string, string>) => readConfig(env).traceProtocol;
    const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };
    assert.equal(protocol({}), undefined);
    assert.equal(protocol({ OTEL_SERVICE_NAME: 'chess', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }), undefined);
    assert.equal(protocol(collector), 'http/protobuf');
    assert.equal(
      protocol({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://localhost:4318/v1/traces' }),
      'http/protobuf',
    );
    assert.equal(
      protocol({
        ...collector,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      }),
      'http/json',
    );
    assert.equal(protocol({ ...collector, OTEL_SDK_DISABLED: 'true' }), undefined);
    assert.equal(protocol({ ...collector, OTEL_TRACES_EXPORTER: 'none' }), undefined);
    assert.throws(
      () => protocol({ ...collector, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }),
      /OTEL_EXPORTER_OTLP_PROTOCOL/,
    );
    assert.throws(
      () => protocol({ ...collector, OTEL_TRACES_SAMPLER: 'sometimes' }),
      /OTEL_TRACES_SAMPLER must be/,
    );
  });

  test('are listed in the documentation with their defaults and ranges', () => {
    const documentation = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
    let ranges = 0;
    for (const [name, schema] of Object.entries({ ...settings.entries, ...tracingSettings.entries })) {
      const fallback = schema.default ? `\`${schema.default}\`` : 'empty';
      const start = `| \`${name}\` | ${fallback} |`;
      const row = documentation.split('\n').find((line) => line.startsWith(start)) ?? '';
      assert.ok(row, start);
      const steps = 'pipe' in schema.wrapped ? schema.wrapped.pipe : [];
      const minimum = steps.find((step) => step.type === 'min_value');
      const maximum = steps.find((step) => step.type === 'max_value');
      if (!minimum || !maximum) continue;
      const range = [minimum, maximum]
        .map(({ requirement }) => requirement.toLocaleString('en-US'))
        .join(' to ');
      assert.ok(row.includes(range), `${name} from ${range}`);
      ranges++;
    }
    assert.ok(ranges >= 10, `${ranges} ranges are found`);
  });

  test('treats an empty value as unset', () => {
    const empty = Object.fromEntries(Object.keys(settings.entries).map((name) => [name, ' ']));
    assert.deepEqual(readConfig(empty), readConfig({}));
  });

  test('names variables that look like a misspelled setting', () => {
    assert.deepEqual(
      misspelledSettings({
        DATABSE_URL: 'x',
        REDIS_URLS: 'x',
        DATABASE_URL: 'x',
        PATH: 'x',
        HOSTS: 'x',
        SIGNAL: 'x',
        SIGN_UP: 'x',
        HOME: 'x',
        OTEL_SERVICE_NAME: 'x',
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'x',
      }),
      [
        'DATABSE_URL is not a setting. Did you mean DATABASE_URL? Rename or unset it.',
        'REDIS_URLS is not a setting. Did you mean REDIS_URL? Rename or unset it.',
        'SIGN_UP is not a setting. Did you mean SIGNUP? Rename or unset it.',
      ],
    );
  });
});
