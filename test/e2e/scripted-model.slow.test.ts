import { fileURLToPath } from 'node:url';
import { SCRIPT_URL_VARIABLE } from '../../src/bot/services/llm/model-script.js';
import type { TimelineEvent } from '../../src/call/timeline.js';
import { ScriptServer } from '../bot/services/llm/script-server.js';
import { RunnerOnSandbox } from '../runner/runner-on-sandbox.js';
import { FakeCaller } from '../sandbox/fake-caller.js';
import { until } from './processes.js';

const BOT = fileURLToPath(new URL('../../templates/answer/bot.ts', import.meta.url));

test.each(['carrier', 'rooms'] as const)(
  'on %s a script in another process answers for the model, and what the bot begins to say is told',
  async (transport) => {
    const day = { name: 'opening_hours', input: { day: 'Sunday' } };
    await using script = await ScriptServer.start(
      { text: 'One moment. I look it up for you.', calls: [day] },
      { text: 'We are closed.', calls: [{ name: 'end_call', input: {} }], delayMs: 100 },
    );
    const environment = { [SCRIPT_URL_VARIABLE]: process.env[SCRIPT_URL_VARIABLE] ?? '' };
    await using stage = await RunnerOnSandbox.start({
      transport,
      botFile: BOT,
      environment,
      standIns: true,
      recording: 'unless_refused',
    });
    const { noted, records } = stage;
    const of = <Type extends TimelineEvent['type']>(type: Type) =>
      noted.filter((event): event is Extract<TimelineEvent, { type: Type }> => event.type === type);

    await using caller = await FakeCaller.attach(stage.sandbox);
    caller.dial(stage.sandbox);
    await until(() => of('said').length === 1, 'the bot has greeted', 60_000);
    const [{ id } = { id: '' }] = records.all;
    const typed = await stage.ask(`/calls/${id}/typed`, {
      method: 'POST',
      body: '{"text":"When are you open on Sunday?"}',
    });
    expect(typed.status).toBe(202);
    await caller.events.next(({ type }) => type === 'ended', 60_000);
    await until(() => of('bot_done').length === 1, 'the bot is done');

    expect(script.asked.map(({ callId }) => callId)).toEqual([id, id]);
    expect(of('tool_called')).toMatchObject([day, { name: 'end_call' }]);
    expect(of('tool_returned')[0]).toMatchObject({ output: 'closed' });
    expect(of('model_answered')[1]?.firstTokenMs).toBeGreaterThanOrEqual(99);
    const said = of('said').filter(({ speaker }) => speaker === 'bot');
    const saying = of('saying');
    expect(saying.map(({ text }) => text).join(' ')).toBe(said.map(({ text }) => text).join(' '));
    expect(saying.map(({ text }) => text)).toEqual([
      'Hello, this is Bluebird Bakery.',
      'How can I help you?',
      'One moment.',
      'I look it up for you.',
      'We are closed.',
    ]);
    // What was told to begin is noted as said from that moment on, as far as a busy machine lets both be noted at once.
    const starts = said.map(({ startedAt = 0 }) => startedAt);
    const nearestStart = (ms: number) => starts.toSorted((one, other) => Math.abs(one - ms) - Math.abs(other - ms))[0];
    for (const { text, startedAt } of said) {
      const first = saying.find((piece) => text.startsWith(piece.text));
      expect(nearestStart(first?.startsAt ?? 0)).toBe(startedAt);
    }
  },
  180_000,
);
