import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HandReceiver, SECRET } from '../runner/events/hand-receiver.js';
import { until } from './processes.js';
import { type Served, Voicebot } from './voicebot.js';

let home: string;
let receiver: HandReceiver;
const open: Voicebot[] = [];
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-events-'));
  receiver = await HandReceiver.listen();
});
afterEach(async () => {
  for (const voicebot of open.splice(0).toReversed()) await voicebot[Symbol.asyncDispose]();
  await receiver.stop();
  expect(receiver.forged).toEqual([]);
  rmSync(home, { recursive: true });
}, 30_000);

async function serve(): Promise<Served> {
  const environment = { VOICEBOT_EVENTS_URL: receiver.url, VOICEBOT_EVENTS_SECRET: SECRET };
  const served = await Voicebot.serve(undefined, { home, environment });
  open.push(served);
  return served;
}

async function call({ port }: Served): Promise<void> {
  const voicebot = new Voicebot(['call', '--dtmf', 'w2 9', '--port', `${port}`], { home });
  open.push(voicebot);
  expect(await voicebot.exit).toBe(0);
}

const WHOLE_CALL = ['call.started', 'call.answered', 'call.ended'];
const accepted = (count: number) =>
  until(() => receiver.accepted.length >= count, `${count} events are accepted`, 30_000);

test('a call of the demo bot is told to the application; what a killed runner has not delivered, the next run delivers', async () => {
  const killed = await serve();
  expect(killed.events.all.find(({ event }) => event === 'ready')).toMatchObject({
    events: new URL(receiver.url).origin,
  });
  await call(killed);
  await accepted(3);
  expect(receiver.types).toEqual(WHOLE_CALL);
  expect(receiver.accepted.at(-1)?.event.data).toMatchObject({ call: { state: 'ended', endReason: 'bot_ended' } });

  await receiver.stop();
  const { length } = receiver.requests;
  await call(killed);
  const undelivered = killed.events.all.findLast(({ event }) => event === 'call')?.callId;
  await killed.events.next(({ callId, call }) => callId === undelivered && call?.state === 'ended');
  killed.signal('SIGKILL');
  await killed.exit;
  expect(receiver.requests).toHaveLength(length);

  await receiver.start();
  const next = await serve();
  await accepted(6);
  const later = receiver.accepted.slice(3);
  expect(later.map(({ event }) => event.type)).toEqual(WHOLE_CALL);
  expect(later.map(({ event }) => event.data.callId)).toEqual(WHOLE_CALL.map(() => undelivered));
  const isWritten = () =>
    readdirSync(home, { recursive: true, encoding: 'utf8' }).some(
      (path) => path.startsWith('events/') && path.endsWith('.ndjson'),
    );
  await until(() => !isWritten(), 'nothing of it stays', 5_000);
  next.signal('SIGINT');
  expect(await next.exit).toBe(130);
  expect(receiver.types).toEqual([...WHOLE_CALL, ...WHOLE_CALL]);
}, 90_000);
