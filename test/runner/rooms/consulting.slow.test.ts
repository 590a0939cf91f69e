import { DtmfDetector } from '../../../src/base/audio/dtmf-detector.js';
import { decodeMulaw } from '../../../src/base/audio/mulaw.js';
import type { RoomsClient } from '../../../src/bot/transports/room/join-room.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import { PhoneNetwork } from '../../../src/sandbox/network/network.js';
import { until } from '../../e2e/processes.js';
import type { FakeCaller } from '../../sandbox/fake-caller.js';
import { testsAtOnce } from '../../tests-at-once.js';
import { COLLEAGUE, ConsultingInRoom, expectGoesOn, hearsSound, loudest, type Sound } from './consulting.js';

/** What is no more than an echo of other sounds. */
const NOTHING = 600;

const heard = (at: ConsultingInRoom, who: 'caller' | 'colleague', sounds: readonly Sound[]) =>
  sounds.filter((sound) => loudest(at[who], sound) > NOTHING);

/** The keys whose tones a telephone has heard. */
function keysHeard(phone: FakeCaller): string {
  const detector = new DtmfDetector(8_000);
  return phone.heard.all.flatMap((frame) => detector.process(decodeMulaw(frame))).join('');
}

async function briefedAndBridged(hangsUp: 'caller' | 'colleague', client: RoomsClient = 'built-in'): Promise<void> {
  await using at = await ConsultingInRoom.open({ client });
  at.caller.client.press('1');
  await hearsSound(at.caller, 'music');
  const { colleague: legId } = await at.tells('consulted');
  await at.tells('briefed');
  expect(heard(at, 'caller', ['briefing', 'colleague'])).toEqual([]);
  expect(heard(at, 'colleague', ['caller', 'greeting', 'music'])).toEqual([]);
  expect(heard(at, 'colleague', ['briefing'])).toEqual(['briefing']);
  at.colleague.client.press('9');
  await at.tells('bridged');
  await Promise.all([hearsSound(at.caller, 'colleague'), hearsSound(at.colleague, 'caller')]);
  await at.tells('left');
  expect(await at.tells('whispered')).toMatchObject({ wasHeard: true });
  expect(heard(at, 'caller', ['whisper'])).toEqual(['whisper']);
  expect(heard(at, 'colleague', ['whisper', 'music', 'greeting'])).toEqual([]);
  expect(heard(at, 'caller', ['briefing'])).toEqual([]);
  at.caller.client.press('5');
  await until(() => keysHeard(at.colleague) === '5', 'the colleague hears the key of the caller', 20_000);
  at[hangsUp].client.hangUp();
  const { id } = await at.tells('over');
  const [own, leg] = await Promise.all([at.record(id), at.record(legId)]);
  expect(own).toMatchObject({ endReason: 'transferred', attempt: 1 });
  expect(leg).toMatchObject({ endReason: 'transferred', linkedTo: id, direction: 'outbound' });
  await at.nothingIsLeft();
}

async function notReached(key: '2' | '3' | '4', reason: string): Promise<void> {
  await using at = await ConsultingInRoom.open();
  at.caller.client.press(key);
  const { isOver, reason: told, colleague } = await at.tells('consulted');
  expect({ isOver, told }).toEqual({ isOver: true, told: reason });
  expect(await at.record(colleague)).toMatchObject({ endReason: reason });
  expect(at.liveCalls).toBe(1);
  at.caller.client.press('0'); // the caller is with the bot again
  const { id } = await at.tells('over');
  expect(await at.record(id)).toMatchObject({ endReason: 'bot_ended' });
  await at.nothingIsLeft();
  expect(heard(at, 'caller', ['briefing', 'colleague'])).toEqual([]);
}

async function callerLeavesWhileItRings(): Promise<void> {
  await using at = await ConsultingInRoom.open({ ringMs: 20_000 });
  at.caller.client.press('1');
  await at.colleague.events.next(({ type }) => type === 'ringing', 20_000);
  at.caller.client.hangUp();
  const { id } = await at.tells('over');
  expect(await at.record(id)).toMatchObject({ endReason: 'caller_hung_up' });
  await at.colleague.ended();
  await at.nothingIsLeft();
}

async function callerLeavesWhileBriefed(): Promise<void> {
  await using at = await ConsultingInRoom.open();
  at.caller.client.press('1');
  await hearsSound(at.colleague, 'briefing');
  at.caller.client.hangUp();
  await at.colleague.ended();
  await at.nothingIsLeft();
}

async function colleagueIsLetGo(): Promise<void> {
  await using at = await ConsultingInRoom.open();
  at.caller.client.press('1');
  await at.tells('briefed');
  at.colleague.client.press('8');
  await at.colleague.ended();
  await at.tells('back');
  expect(at.liveCalls).toBe(1);
  at.caller.client.press('0');
  await at.nothingIsLeft();
}

async function ownNumberIsRefused(): Promise<void> {
  await using at = await ConsultingInRoom.open();
  at.caller.client.press('5');
  expect(await at.tells('refused')).toMatchObject({ code: 'VB_TARGET_REFUSED' });
  at.caller.client.press('0');
  await at.nothingIsLeft();
}

async function listensInSilence(): Promise<void> {
  const silenceSeconds = 3;
  await using at = await ConsultingInRoom.open({ silenceSeconds });
  at.caller.says = () => new Uint8Array(160).fill(0xff);
  at.caller.client.press('1');
  await at.tells('briefed');
  at.colleague.client.press('9');
  await at.tells('left');
  const from = at.caller.heard.all.length;
  const silentFrames = 3 * silenceSeconds * 50;
  await until(() => at.caller.heard.all.length > from + silentFrames, 'the colleague talks for long', 30_000);
  expect(at.liveCalls).toBe(2);
  await hearsSound(at.caller, 'colleague');
  at.colleague.client.hangUp();
  const { id } = await at.tells('over');
  expect(await at.record(id)).toMatchObject({ endReason: 'transferred' });
  await at.nothingIsLeft();
}

/** @param key of the colleague: the process exits, or the bot function rejects */
async function failsWhileBriefing(key: '#' | '7'): Promise<void> {
  await using at = await ConsultingInRoom.open();
  at.caller.client.press('1');
  await at.tells('briefed');
  at.colleague.client.press(key);
  await at.tells('serves', 2);
  await at.tells('greeted', 2);
  expect(heard(at, 'caller', ['briefing', 'colleague'])).toEqual([]);
  expect(heard(at, 'colleague', ['caller', 'greeting', 'music'])).toEqual([]);
  const before = at.colleague.heard.all.length;
  at.caller.client.press('1'); // the same number: it is on the line, and is not dialled again
  await hearsSound(at.colleague, 'briefing');
  expect(before).toBeGreaterThan(0);
  expect(at.runner.sandbox.placedCalls.get('+12025550177')).toBe(1);
  expect(heard(at, 'caller', ['briefing', 'colleague'])).toEqual([]);
  at.caller.client.hangUp();
  await at.colleague.ended();
  await at.nothingIsLeft();
}

/** The runner does not learn which leg it is: neither of the bot, nor of the next one, which does not want it. */
async function diesWhileDialling(): Promise<void> {
  await using at = await ConsultingInRoom.open({ ringMs: 23_000 });
  const { pid } = await at.tells('serves', 1);
  const { count } = PhoneNetwork.prototype;
  const counting = jest.spyOn(PhoneNetwork.prototype, 'count').mockImplementation(function (this: PhoneNetwork, call) {
    count.call(this, call);
    if (at.runner.sandbox.placedCalls.has(COLLEAGUE)) process.kill(pid, 'SIGKILL'); // other tests of the file have networks of their own
  });
  at.caller.client.press('1');
  await at.tells('greeted', 2);
  counting.mockRestore();
  await at.colleague.events.next(({ type }) => type === 'answered', 40_000);
  await at.colleague.ended();
  expect(at.liveCalls).toBe(1);
  expect(heard(at, 'colleague', ['caller', 'greeting', 'music'])).toEqual([]);
  at.caller.client.press('0');
  await at.nothingIsLeft();
}

async function diesWhileBridged(): Promise<void> {
  await using at = await ConsultingInRoom.open();
  const { pid } = await at.tells('serves', 1);
  at.caller.client.press('1');
  const { colleague: legId } = await at.tells('consulted');
  await at.tells('briefed');
  at.colleague.client.press('9');
  await at.tells('left');
  await Promise.all([hearsSound(at.caller, 'colleague'), hearsSound(at.colleague, 'caller')]);
  const [callerFrom, colleagueFrom] = [at.caller.heard.all.length, at.colleague.heard.all.length];
  process.kill(pid, 'SIGKILL');
  const isServed = ({ id, attempt, state }: CallRecord) => id === legId && attempt === 2 && state === 'connected';
  await until(() => at.runner.records.all.some(isServed), 'the next bot has the colleague', 30_000);
  await hearsSound(at.caller, 'colleague');
  await hearsSound(at.colleague, 'caller');
  expectGoesOn(at.caller, 'colleague', callerFrom);
  expectGoesOn(at.colleague, 'caller', colleagueFrom);
  expect(at.runner.sandbox.placedCalls.get('+12025550177')).toBe(1);
  at.colleague.client.hangUp();
  await at.caller.ended();
  await at.nothingIsLeft();
}

testsAtOnce(
  {
    'the colleague is briefed in private, bridged, and hangs up': () => briefedAndBridged('colleague'),
    'the colleague is briefed in private, bridged, and the caller hangs up': () => briefedAndBridged('caller'),
    'the same with the client of the provider, in a browser': () => briefedAndBridged('colleague', 'browser'),
    'one who is busy is told as busy': () => notReached('2', 'busy'),
    'one who does not answer is told as that': () => notReached('3', 'no_answer'),
    'one who declines is told as that': () => notReached('4', 'rejected'),
    'the caller leaves while it rings: it stops ringing': callerLeavesWhileItRings,
    'the caller leaves while the colleague is briefed: both are gone': callerLeavesWhileBriefed,
    'the colleague is let go, and the caller is with the bot again': colleagueIsLetGo,
    'the number of the bot itself is refused': ownNumberIsRefused,
    'one who listens to the other in silence is not hung up': listensInSilence,
    'the bot’s process dies while it briefs: the next one has the same colleague, who is not dialled again': () =>
      failsWhileBriefing('#'),
    'the bot fails while it briefs: the next one has the same colleague, who is not dialled again': () =>
      failsWhileBriefing('7'),
    'the bot’s process dies the moment the number is dialled: who answers is not left in the line': diesWhileDialling,
    'the bot’s process dies while the two are bridged: they go on talking, and the next one has both': diesWhileBridged,
  },
  300_000,
  2,
);
