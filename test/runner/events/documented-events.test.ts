import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import type { CallRecord } from '../../../src/call/call-record.js';
import type { HeardNotice } from '../../../src/call/disclosure.js';
import type { TimelineEntry, TimelineEvent } from '../../../src/call/timeline.js';
import type { ApplicationEvent, EndedTurn, SwitchedService } from '../../../src/runner/events/application-event.js';
import { CallEventPicker } from '../../../src/runner/events/call-event-picker.js';
import { EventsReceiver } from '../../../src/runner/events/events-receiver.js';
import { SECRET } from './hand-receiver.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(join(ROOT, 'docs/events.md'), 'utf8');
const examplesIn = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code);
const examples = examplesIn('json').map((code): ApplicationEvent => JSON.parse(code));

test('the examples of the page are what the runner tells of such a call', () => {
  const ended = examples.at(-1)?.data as { callId: string; call: CallRecord };
  const { endedAt, endReason, connectedAt, answeredAt, ...rest } = ended.call;
  const ringing = { ...rest, state: 'ringing' } as CallRecord;
  const answered = { ...ringing, state: 'starting', answeredAt } as CallRecord;
  const turn = examples.find(({ type }) => type === 'turn.ended')?.data as { callId: string } & Required<EndedTurn>;
  const { callId, attempt, caller, bot, ...report } = turn;
  const switched = examples.find(({ type }) => type === 'service.switched')?.data as unknown as SwitchedService;
  const disclosed = examples.find(({ type }) => type === 'disclosure.heard')?.data as { callId: string } & HeardNotice;
  const { callId: _, ...heard } = disclosed;
  const to = '+12025550101';
  const entries: Array<[timestamp: string, entry: TimelineEntry]> = [
    ['2026-01-31T09:05:07.250Z', { type: 'record', record: ringing }],
    ['2026-01-31T09:05:07.900Z', { type: 'record', record: answered }],
    ['2026-01-31T09:05:08.000Z', { type: 'recording', is: 'started' }],
    ['2026-01-31T09:05:11.000Z', { type: 'said', speaker: 'caller', text: caller }],
    ['2026-01-31T09:05:14.100Z', { type: 'said', speaker: 'bot', text: bot }],
    ['2026-01-31T09:05:14.100Z', { type: 'turn_ended', ...report }],
    ['2026-01-31T09:05:16.200Z', { type: 'service_switched', ...pick(switched) }],
    ['2026-01-31T09:05:16.900Z', { type: 'do_not_call', how: 'tool', outcome: 'listed' }],
    ['2026-01-31T09:05:16.900Z', { type: 'notice_heard', notice: 'disclosure', ...heard }],
    ['2026-01-31T09:05:17.000Z', { type: 'recording', is: 'removed' }],
    ['2026-01-31T09:05:17.200Z', { type: 'transfer_asked', to }],
    ['2026-01-31T09:05:20.400Z', { type: 'transfer_over', to, status: 'answered' }],
    ['2026-01-31T09:06:01.000Z', { type: 'record', record: ended.call }],
  ];
  const told = new CallEventPicker(callId);
  const events = entries.flatMap(([timestamp, entry]) =>
    told.see({ at: Date.parse(timestamp), source: 'bot', bot: attempt, ...entry } as TimelineEvent),
  );
  expect(events).toEqual(examples);
});

const pick = ({ does, from, to, why, ms }: SwitchedService) => ({ does, from, to, why, ms });

test('the receiver of the page accepts signed events, each once, and refuses others', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'voicebot-receiver-'));
  const [code = ''] = examplesIn('ts');
  const onAnyPort = code.replace(
    '.listen(3000)',
    ".listen(0, '127.0.0.1', function () { process.send(this.address().port) })",
  );
  writeFileSync(join(directory, 'receiver.mjs'), transformSync(onAnyPort, { loader: 'ts' }).code);
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  const program = fork(join(directory, 'receiver.mjs'), { silent: true, env: { VOICEBOT_EVENTS_SECRET: SECRET } });
  const printed = text(program.stdout as NonNullable<typeof program.stdout>);
  const exited = once(program, 'exit');
  try {
    const [port] = await once(program, 'message');
    const url = `http://127.0.0.1:${port}/voicebot`;
    const receiver = new EventsReceiver({ url, secret: SECRET, atOnce: 1 });
    for (const [n, event] of examples.entries()) {
      for (const _ of [1, 2]) expect(await receiver.send({ id: `evt_${n}`, event })).toEqual({ is: 'accepted' });
    }
    await receiver.close();
    const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
    const stranger = new EventsReceiver({ url, secret, atOnce: 1 });
    const [event] = examples as [ApplicationEvent];
    expect(await stranger.send({ id: 'evt_x', event })).toMatchObject({ is: 'failed', reason: 'status 400' });
    await stranger.close();
  } finally {
    program.kill();
    await exited;
    rmSync(directory, { recursive: true });
  }
  const lines = examples.map(({ type, data }) => `${type} ${data.callId}`);
  expect((await printed).trim().split('\n')).toEqual(lines);
  expect(new Set(examples.map(({ type }) => type)).size).toBe(9);
});
