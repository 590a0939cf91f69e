/** The files that put a cluster on machines, against the real command line, settings, metrics and Redis. */
import { parse, parseAllDocuments } from 'yaml';
import { silentLogger } from '../../../src/base/logger.js';
import { makeProject, type ProjectOptions } from '../../../src/cli/init/project.js';
import { checkRedis } from '../../../src/cluster/redis/redis-checks.js';
import { SETTINGS } from '../../../src/config/settings.js';
import { LinkedRedis } from '../../cluster/linked-redis.js';
import { describeWithRedis } from '../../cluster/redis-server.js';
import { read } from '../../project/repository.js';
import { command } from '../in-process.js';
import { PACKAGE_ROOT } from '../voicebot.js';

/** After the drain bots say goodbye, and what is left is hung up, in seconds. */
const AFTER_DRAIN = 30;
const FOLDER = 'templates/deployment/cluster';
const SECRET = new Set(['VOICEBOT_TOKEN', 'CARRIER_AUTH_ID', 'CARRIER_AUTH_TOKEN', 'REDIS_PASSWORD']);

// biome-ignore lint/suspicious/noExplicitAny: what a file holds is checked by the tests that read it
type Content = any;

const compose: Content = parse(read(`${FOLDER}/compose.yaml`), { merge: true });
const text = read(`${FOLDER}/kubernetes.yaml`);
const resources: Content[] = parseAllDocuments(text).map((document) => {
  expect(document.errors).toEqual([]);
  return document.toJS();
});
const resource = (kind: string, name = 'voicebot'): Content =>
  resources.find((one) => one.kind === kind && one.metadata.name === name);
const { spec: pod } = resource('Deployment').spec.template;
const [container] = pod.containers;
const variables: Content[] = container.env;
const settingOf = (name: string): string | undefined => variables.find((one) => one.name === name)?.value;

const KNOWN: readonly string[] = Object.values(SETTINGS).map(({ variable }) => variable);
const isSetting = (name: string) => KNOWN.includes(name) || name === 'VOICEBOT_HOME';
const parserOf = (name: string) => Object.values(SETTINGS).find(({ variable }) => variable === name)?.parse;

/** The flags of a command line that `voicebot run` does not have. */
async function unknownFlags(words: readonly string[]): Promise<string[]> {
  const { stdout } = await command(['run', '--help'], '/').finished;
  return words.filter((word) => word.startsWith('--') && !stdout.includes(` ${word} `));
}

test('both start the bot with a command that there is, and leave the number where it points', async () => {
  for (const words of [compose.services['bot-1'].command, container.command] as string[][]) {
    expect(words.slice(0, 3)).toEqual(['node_modules/.bin/voicebot', 'run', 'bot.ts']);
    expect(await unknownFlags(words)).toEqual([]);
    expect(words).not.toContain('--dialin');
    expect(words.join(' ')).toContain('--host 0.0.0.0');
  }
});

test('all variables are settings, with values that they take', () => {
  const ofCompose: Array<[string, string]> = Object.entries(compose.services['bot-1'].environment);
  const ofPod = variables.filter(({ value }) => value !== undefined).map(({ name, value }) => [name, value]);
  for (const [name, value] of [...ofCompose, ...ofPod] as Array<[string, string]>) {
    expect([name, isSetting(name)]).toEqual([name, true]);
    const given = String(value)
      .replace(/\$\{DOMAIN[^}]*\}/, 'bot.example.com')
      .replace('$(REDIS_PASSWORD)', 'abc');
    expect(() => parserOf(name)?.(given)).not.toThrow();
  }
});

test('compose: three runners with a folder each, in front of which the proxy knows all', () => {
  const bots = Object.keys(compose.services).filter((name) => name.startsWith('bot-'));
  expect(bots).toHaveLength(3);
  const homes = bots.map((name) => compose.services[name].volumes[0].split(':')[0]);
  expect(new Set(homes).size).toBe(3);
  expect(Object.keys(compose.volumes)).toEqual(expect.arrayContaining(homes));
  const { proxy, redis } = compose.services;
  expect(proxy.environment.UPSTREAMS.split(' ')).toEqual(bots.map((name) => `${name}:7860`));
  expect(read(`${FOLDER}/Caddyfile`)).toContain('{$UPSTREAMS:');
  expect(proxy.networks).not.toContain('cluster');
  expect(redis.networks).toEqual(['cluster']);
  expect(redis.ports).toBeUndefined();
});

test('compose: whoever stops a runner waits for its drain', () => {
  const { environment, stop_grace_period: grace } = compose.services['bot-1'];
  expect(Number.parseInt(grace, 10)).toBeGreaterThanOrEqual(environment.VOICEBOT_DRAIN_SECONDS + AFTER_DRAIN);
});

test('Kubernetes: a pod that ends waits for the balancer, then for its drain', () => {
  const [program, seconds] = container.lifecycle.preStop.exec.command;
  expect(program).toBe('sleep');
  const needed = Number(seconds) + Number(settingOf('VOICEBOT_DRAIN_SECONDS')) + AFTER_DRAIN;
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(needed);
});

test('Kubernetes: probes ask from within, since other addresses need the token', () => {
  for (const [probe, path] of [
    ['startupProbe', '/ready'],
    ['readinessProbe', '/ready'],
    ['livenessProbe', '/health'],
  ] as const) {
    expect(container[probe].httpGet).toBeUndefined();
    expect(container[probe].exec.command.join(' ')).toContain(`http://127.0.0.1:${settingOf('VOICEBOT_PORT')}${path}'`);
  }
});

test('Kubernetes: what is secret comes from the secret, whose keys its comment makes', () => {
  const secret = [...variables, ...resource('StatefulSet', 'voicebot-redis').spec.template.spec.containers[0].env];
  for (const { name, value, valueFrom } of secret.filter((one) => SECRET.has(one.name))) {
    expect([name, value]).toEqual([name, undefined]);
    expect(valueFrom.secretKeyRef.name).toBe('voicebot');
    expect(text).toContain(`--from-literal=${valueFrom.secretKeyRef.key}=`);
  }
  expect(secret.filter((one) => SECRET.has(one.name))).toHaveLength(5);
});

test('Kubernetes: three runners that are found, kept, and counted by a metric that there is', () => {
  const { replicas, selector } = resource('Deployment').spec;
  expect(replicas).toBe(3);
  const { labels } = resource('Deployment').spec.template.metadata;
  expect(selector.matchLabels).toEqual(labels);
  expect(resource('Service').spec.selector).toEqual(labels);
  expect(resource('Service').spec.ports[0].targetPort).toBe(container.ports[0].name);
  expect(resource('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
  const { scaleTargetRef, minReplicas, metrics } = resource('HorizontalPodAutoscaler').spec;
  expect(scaleTargetRef).toMatchObject({ kind: 'Deployment', name: 'voicebot' });
  expect(minReplicas).toBe(replicas);
  expect(read('docs/deployment.md')).toContain(`| \`${metrics[0].pods.metric.name}\` | gauge |`);
});

test('Kubernetes: only runners reach Redis, and they are reached on their port only, and reach whatever they call', () => {
  const [runners, redis] = [resource('NetworkPolicy'), resource('NetworkPolicy', 'voicebot-redis')];
  const labelsOf = (one: Content) => one.spec.template.metadata.labels;
  const [deployment, store] = [resource('Deployment'), resource('StatefulSet', 'voicebot-redis')];
  expect(runners.spec.podSelector.matchLabels).toEqual(labelsOf(deployment));
  expect(runners.spec.policyTypes).toEqual(['Ingress']);
  expect(runners.spec.ingress).toEqual([{ ports: [{ protocol: 'TCP', port: container.ports[0].name }] }]);
  expect(redis.spec.podSelector.matchLabels).toEqual(labelsOf(store));
  const { containerPort: port } = store.spec.template.spec.containers[0].ports[0];
  const from = [{ podSelector: { matchLabels: labelsOf(deployment) } }];
  expect(redis.spec.ingress).toEqual([{ from, ports: [{ protocol: 'TCP', port }] }]);
});

test('Kubernetes: the monitor finds the Service, reads /metrics at its port, and shows the token', () => {
  const { spec } = parse(read(`${FOLDER}/service-monitor.yaml`));
  const service = resource('Service');
  expect(service.metadata.labels).toMatchObject(spec.selector.matchLabels);
  const [{ port, path, authorization }] = spec.endpoints;
  expect([port, path]).toEqual([service.spec.ports[0].name, '/metrics']);
  const { secretKeyRef } = variables.find(({ name }) => name === 'VOICEBOT_TOKEN').valueFrom;
  expect(authorization).toEqual({ type: 'Bearer', credentials: secretKeyRef });
});

const filesOf = (options: Partial<ProjectOptions>) => {
  const { files } = makeProject({
    directory: '/somewhere/my-bot',
    template: 'answer',
    packageRoot: PACKAGE_ROOT,
    docker: true,
    ...options,
  });
  return Object.fromEntries(files.map(({ path, content }) => [path, String(content)]));
};

test("Kubernetes: the bot's own keys come from a secret, whose command names what its .env.example names", () => {
  expect(container.envFrom).toEqual([{ secretRef: { name: 'voicebot-bot', optional: true } }]);
  const { 'cluster/kubernetes.yaml': made = '' } = filesOf({ carrier: 'twilio' });
  const [, named = ''] = /generic voicebot-bot \\\n# +(.*)\n/.exec(made) ?? [];
  expect([...named.matchAll(/--from-literal=(\w+)=…/g)].map(([, name]) => name)).toEqual([
    'DEEPGRAM_API_KEY',
    'OPENAI_API_KEY',
    'CARTESIA_API_KEY',
    'CARTESIA_VOICE',
    'OPERATOR_NUMBER',
  ]);
});

test('for rooms the runners have the account of rooms', () => {
  const { 'cluster/kubernetes.yaml': made = '' } = filesOf({ transport: 'rooms' });
  const [{ spec }] = parseAllDocuments(made).map((document): Content => document.toJS()) as [Content];
  const [{ env, command: words }] = spec.template.spec.containers;
  const names = env.map(({ name }: Content) => name);
  expect(names).toContain('ROOMS_API_KEY');
  expect(names.filter((name: string) => name.startsWith('CARRIER_'))).toEqual([]);
  expect(made).toContain('--from-literal=rooms-api-key=…');
  expect(words.join(' ')).toContain('--transport rooms');
});

test('a project for containers has the packages of a cluster, in the versions that it is tested with', () => {
  const { devDependencies: own } = JSON.parse(read('package.json'));
  const { dependencies } = JSON.parse(filesOf({})['package.json'] ?? '');
  for (const name of ['ioredis', 'bullmq', 'prom-client'])
    expect([name, dependencies[name]]).toEqual([name, own[name]]);
  const alone = JSON.parse(filesOf({ docker: false })['package.json'] ?? '');
  expect(Object.keys(alone.dependencies)).not.toContain('ioredis');
});

test('it has decided about each install script among them, of which npm would warn', () => {
  const { packages } = JSON.parse(read('package-lock.json'));
  const { dependencies, devDependencies, allowScripts } = JSON.parse(filesOf({})['package.json'] ?? '');
  const found = new Set<string>(Object.keys({ ...dependencies, ...devDependencies }));
  // A set gives what is added meanwhile, too.
  for (const name of found) {
    const { dependencies, optionalDependencies } = packages[name === 'voicebot' ? '' : `node_modules/${name}`] ?? {};
    for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) found.add(needed);
  }
  const withScript = [...found].filter((name) => packages[`node_modules/${name}`]?.hasInstallScript);
  expect(withScript.sort()).toEqual(Object.keys(allowScripts).sort());
});

test('Kubernetes: Redis is where the runners look for it, with a volume for what it writes down', () => {
  const { serviceName, volumeClaimTemplates, template } = resource('StatefulSet', 'voicebot-redis').spec;
  const { ports, selector } = resource('Service', serviceName).spec;
  expect(settingOf('VOICEBOT_CLUSTER')).toContain(`@${serviceName}:${ports[0].port}`);
  expect(selector).toEqual(template.metadata.labels);
  const [redis] = template.spec.containers;
  const configuration: string = resource('ConfigMap', 'voicebot-redis').data['redis.conf'];
  const [, directory] = /^dir (\S+)$/m.exec(configuration) ?? [];
  const { name } = redis.volumeMounts.find((one: Content) => one.mountPath === directory);
  expect(volumeClaimTemplates[0].metadata.name).toBe(name);
  expect(redis.command.join(' ')).toContain('> /run/redis/password.conf');
  expect(redis.command.at(-1)).not.toMatch(/requirepass \$/);
});

describeWithRedis('the Redis of both', () => {
  test('is one that a cluster can rely on', async () => {
    const configuration: string = resource('ConfigMap', 'voicebot-redis').data['redis.conf'];
    const lines = configuration.split('\n').filter((line) => /^(appendonly|maxmemory)/.test(line));
    const ofPod = lines.flatMap((line) => [`--${line.split(' ')[0]}`, line.split(' ')[1] as string]);
    for (const options of [compose.services.redis.command.slice(1), ofPod] as string[][]) {
      await using redis = await LinkedRedis.start(...options, '--maxmemory', '100mb');
      expect(await checkRedis(await redis.link(), silentLogger)).toMatchObject({ isWrittenDown: true });
    }
  });
});
