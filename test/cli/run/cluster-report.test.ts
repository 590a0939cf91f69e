import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { reportCluster } from '../../../src/cli/run/cluster-report.js';
import { Output, type OutputOptions } from '../../../src/terminal/output.js';
import { readAll } from '../../terminal/read-all.js';

/** A cluster of which this runner is the first. */
class Members extends EventEmitter {
  readonly known = new Map<string, { machine: string; pid: number }>();
  readonly there = new Set<string>();

  get others() {
    return [...this.there];
  }
  get(id: string) {
    return this.known.get(id);
  }
  join(id: string): void {
    this.known.set(id, { machine: 'host-2', pid: 7 });
    this.there.add(id);
    this.emit('joined', id);
  }
  leave(id: string): void {
    this.there.delete(id);
    this.emit('left', id);
  }
}

async function told(options: Partial<OutputOptions>) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const members = new Members();
  const end = reportCluster(members as never, new Output({ stdout, stderr, now: () => new Date(0), ...options }));
  members.join('b');
  members.leave('b');
  await end();
  members.join('c');
  const linesOf = (stream: PassThrough) => readAll(stream).split('\n').filter(Boolean);
  return { lines: linesOf(stderr), events: linesOf(stdout).map((line) => JSON.parse(line)) };
}

test('a run tells how many runners its cluster has, and who joins and leaves', async () => {
  expect((await told({})).lines).toEqual([
    'This is one of a cluster of 1 runner',
    'the runner on host-2 (process 7) has joined: cluster of 2 runners',
    'the runner on host-2 (process 7) has left: cluster of 1 runner',
  ]);
});

test('programs are told the same', async () => {
  const { lines, events } = await told({ json: true, logsJson: true });
  expect(events).toMatchObject([
    { event: 'cluster', runners: 1 },
    { event: 'cluster', runners: 2, change: 'joined', machine: 'host-2', pid: 7 },
    { event: 'cluster', runners: 1, change: 'left', machine: 'host-2' },
  ]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { message: 'the runner is one of a cluster', runners: 1 },
    { message: 'a runner has joined', runners: 2, machine: 'host-2', pid: 7 },
    { message: 'a runner has left', runners: 1 },
  ]);
});
