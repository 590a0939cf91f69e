/** The metrics as they are documented and shown: neither more nor fewer than there are. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asCallId } from '../../../src/call/call-id.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import { read } from '../../project/repository.js';
import { CountedRunner } from './counted-runner.js';
import { dashboardQueries } from './dashboard.js';
import { type MetricFamily, readExposition } from './exposition.js';

const state = mkdtempSync(join(tmpdir(), 'voicebot-state-'));
afterAll(() => rmSync(state, { recursive: true }));

/** Its labels have a value only where there is one to tell: a currency is any. */
const PRICED: CallRecord = {
  ...{ id: asCallId('call-1'), direction: 'inbound', to: '+12025550100', state: 'ended', attempt: 1, startedAt: 0 },
  cost: {
    ...{ currency: 'EUR', amount: '0.01', isComplete: true },
    parts: [{ service: 'carrier', provider: 'twilio', units: 1, unit: 'second', amount: '0.01' }],
  },
};

async function allMetrics(): Promise<Map<string, MetricFamily>> {
  using runner = new CountedRunner(state);
  runner.counts.requested({ status: 200, ms: 1 });
  runner.registry.emit('settled', PRICED);
  return readExposition(await runner.text());
}

const labelsOf = ({ samples }: MetricFamily) =>
  new Set([...samples.keys()].flatMap((key) => [...key.matchAll(/[{,](\w+)="/g)].map(([, label = '']) => label)));

test('docs/deployment.md lists each metric with its type and its labels', async () => {
  const [, section = ''] = read('docs/deployment.md').split('\n## Metrics\n');
  const documented = [...section.matchAll(/^\| `(voicebot_\w+)` \| (\w+) \|([^|]*)\|/gm)].map(
    ([, name = '', type, labels = '']) => [
      name,
      type,
      labels
        .split(', ')
        .map((label) => label.replaceAll('`', '').trim())
        .filter((label) => label !== ''),
    ],
  );
  const metrics = [...(await allMetrics())].map(([name, family]) => [
    name,
    family.type,
    [...labelsOf(family)].filter((label) => label !== 'le'),
  ]);
  expect(documented.toSorted()).toEqual(metrics.toSorted());
});

test('docs/deployment.md names every value of the labels that it explains', async () => {
  const [, section = ''] = read('docs/deployment.md').split('\n## Metrics\n');
  const rowOf = (metric: string) => section.split('\n').find((line) => line.startsWith(`| \`${metric}\``)) ?? '';
  for (const [metric, label] of [
    ['voicebot_call_setup_seconds', 'until'],
    ['voicebot_turn_latency_seconds', 'since'],
    ['voicebot_turn_step_seconds', 'step'],
    ['voicebot_model_answers_total', 'outcome'],
    ['voicebot_bots', 'state'],
    ['voicebot_requests_refused_total', 'reason'],
    ['voicebot_journal_entries', 'journal'],
    ['voicebot_event_loop_delay_seconds', 'process'],
    ['voicebot_cluster_calls_moved_total', 'how'],
  ] as const) {
    const keys = [...((await allMetrics()).get(metric)?.samples.keys() ?? [])];
    const values = new Set(keys.map((key) => new RegExp(`${label}="([^"]*)"`).exec(key)?.[1] ?? ''));
    expect(values.size).toBeGreaterThan(1);
    for (const value of values) expect(rowOf(metric)).toContain(`\`${value}\``);
  }
});

test('the dashboard asks for metrics and labels that there are, and shows every metric of ours', async () => {
  const metrics = await allMetrics();
  const shown = new Set<string>();
  for (const query of dashboardQueries()) {
    for (const [, name = ''] of query.matchAll(/\b(voicebot_\w+)/g)) {
      const family = metrics.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, '');
      expect([query, metrics.has(family)]).toEqual([query, true]);
      shown.add(family);
      const labels = new Set(['instance', ...labelsOf(metrics.get(family) as MetricFamily)]);
      const [, selectors = ''] = new RegExp(`${name}\\{([^}]*)\\}`).exec(query) ?? [];
      const grouped = [...query.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
      const asked = [...selectors.matchAll(/(\w+)(?:=~|!=|=)"/g)].map(([, label = '']) => label);
      expect([query, [...asked, ...grouped].filter((label) => !labels.has(label))]).toEqual([query, []]);
    }
  }
  expect([...metrics.keys()].filter((name) => !shown.has(name))).toEqual([]);
});
