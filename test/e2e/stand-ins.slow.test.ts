import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TimelineEvent } from '../../src/call/timeline.js';
import { readRecording } from './recording.js';
import { Voicebot } from './voicebot.js';

// On both transports, in one process: scripted-model.slow.test.ts.
test('without a key a bot calls its tools and speaks, for a caller who types', async () => {
  const home = mkdtempSync(join(tmpdir(), 'voicebot-stand-ins-'));
  try {
    const options = { home };
    await using served = await Voicebot.serve('templates/answer/bot.ts', options, ['--stand-ins']);
    expect(served.events.all.find(({ event }) => event === 'ready')).toMatchObject({ standIns: true });
    const record = join(home, 'call.wav');
    const words = ['--say', 'When are you open on Sunday?', '--say', 'Goodbye.'];
    await using call = new Voicebot(['call', '--port', `${served.port}`, '--record', record, ...words], options);
    expect(await call.exit).toBe(0);
    expect(call.events.all.at(-1)).toMatchObject({ event: 'ended', endReason: 'bot_ended' });

    const { callId } = await call.event('ringing');
    const typed = await fetch(`${served.url}/calls/${callId}/typed`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"text":"Hello?"}',
    });
    expect(typed.status).toBe(409); // the call is over

    const noted = served.events.all
      .filter(({ event }) => event === 'noted')
      .map((event) => event.noted as TimelineEvent);
    const of = <Type extends TimelineEvent['type']>(type: Type) =>
      noted.filter((event): event is Extract<TimelineEvent, { type: Type }> => event.type === type);
    expect(of('tool_called')).toMatchObject([
      { name: 'opening_hours', input: { day: 'Sunday' } },
      { name: 'end_call' },
    ]);
    expect(of('said').map(({ speaker, text }) => [speaker, text])).toEqual([
      ['bot', 'Hello, this is Bluebird Bakery. How can I help you?'],
      ['caller', 'When are you open on Sunday?'],
      ['bot', 'The function opening hours says: closed.'],
      ['caller', 'Goodbye.'],
      ['bot', 'Thank you for calling. Goodbye!'],
    ]);
    expect(readRecording(record).bot.audibleMs()).toBeGreaterThan(5_000);
    served.signal('SIGINT');
    await served.exit;
  } finally {
    rmSync(home, { recursive: true });
  }
}, 90_000);
