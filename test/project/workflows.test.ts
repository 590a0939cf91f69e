import { parse } from 'yaml';
import { filesIn, read } from './repository.js';

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

interface Job {
  needs?: string;
  uses?: string;
  environment?: string;
  permissions?: Record<string, string>;
  steps?: Step[];
}

interface Workflow {
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}

const PLACE = '.github/workflows/';
const workflow = (name: string): Workflow => parse(read(PLACE + name));
const commandsOf = ({ steps = [] }: Job = {}) => steps.flatMap(({ run }) => run ?? []);

const { on, permissions, jobs } = workflow('publish.yml');

test('a version is published from its tag alone, after all that CI asks', () => {
  expect(on).toEqual({ push: { tags: ['v*'] } });
  expect(jobs.check?.uses).toBe('./.github/workflows/ci.yml');
  expect(jobs.publish?.needs).toBe('check');
  expect(jobs.release?.needs).toBe('publish');
  const ci = workflow('ci.yml');
  expect(ci.on).toHaveProperty('workflow_call');
  expect(commandsOf(ci.jobs.run).at(-1)).toBe('.ci/run');
});

test('it is published by the script that CI runs as a dry run', () => {
  expect(commandsOf(jobs.publish)).toEqual(['node scripts/publish.mjs']);
  expect(read('.ci/run')).toContain('node scripts/publish.mjs --dry-run');
  const artifact = jobs.publish?.steps?.find(({ uses }) => uses?.startsWith('actions/upload-artifact@'));
  expect(artifact?.with?.path).toBe('build/publish');
  expect(commandsOf(jobs.release).join()).toContain('gh release create "$GITHUB_REF_NAME" published/*');
});

test('no job may do more than it has to, and none has a secret', () => {
  expect(permissions).toEqual({});
  const allowed = Object.entries(jobs).map(([name, job]) => [name, job.permissions]);
  expect(Object.fromEntries(allowed)).toEqual({
    check: { contents: 'read' },
    publish: { contents: 'read', 'id-token': 'write' },
    release: { contents: 'write' },
  });
  expect(workflow('ci.yml').permissions).toEqual({ contents: 'read' });
  for (const file of filesIn(PLACE, '.yml').map(read)) {
    expect(file).not.toContain('secrets');
    expect(file).not.toMatch(/NODE_AUTH_TOKEN|NPM_TOKEN/);
  }
});

test('actions of others are named by their commit, with the version beside it', () => {
  const used = filesIn(PLACE, '.yml').flatMap((file) => read(file).match(/(?<=uses: )(?!\.\/).+/g) ?? []);
  expect(used.length).toBeGreaterThan(4);
  expect(used.filter((one) => !/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(one))).toEqual([]);
  // One action, one version.
  expect(new Set(used.map((one) => one.split('@')[0])).size).toBe(new Set(used).size);
});

test('a clone that has been checked out keeps no token', () => {
  const steps = [workflow('ci.yml'), workflow('publish.yml')].flatMap((one) => Object.values(one.jobs));
  const checkouts = steps
    .flatMap(({ steps = [] }) => steps)
    .filter(({ uses }) => uses?.startsWith('actions/checkout@'));
  expect(checkouts).toHaveLength(2);
  for (const checkout of checkouts) expect(checkout.with?.['persist-credentials']).toBe(false);
});
