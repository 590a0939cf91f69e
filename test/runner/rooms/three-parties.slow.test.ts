import { FakeCaller } from '../../sandbox/fake-caller.js';
import { hum } from '../../sandbox/rooms/live-rooms-under-test.js';
import { testsAtOnce } from '../../tests-at-once.js';
import { ConsultingInRoom, expectGoesOn, hearsSound, loudest, SOUNDS, type Sound } from './consulting.js';

const SECOND = '+12025550178';
/** What is no more than an echo of other sounds. */
const NOTHING = 600;

const heard = (phone: FakeCaller, sounds: readonly Sound[], fromFrame = 0) =>
  sounds.filter((sound) => loudest(phone, sound, fromFrame) > NOTHING);

async function three(leaves: boolean): Promise<void> {
  const environment = { SECOND, ...(leaves && { LEAVES: 'yes' }) };
  await using at = await ConsultingInRoom.open({ bot: 'three-parties.ts', environment });
  await using second = await FakeCaller.attending(at.runner.sandbox, SECOND, { ringMs: 1_500 });
  second.says = hum(SOUNDS.second);
  const { caller, colleague } = at;
  const parties: ReadonlyArray<[FakeCaller, Sound]> = [
    [caller, 'caller'],
    [colleague, 'colleague'],
    [second, 'second'],
  ];
  const hearEachOther = (who: typeof parties) =>
    Promise.all(
      who.flatMap(([phone, own]) =>
        who.flatMap(([, sound]) => (sound === own ? [] : hearsSound(phone, sound, `${own} hears ${sound}`))),
      ),
    );
  caller.client.press('1');
  await second.events.next(({ type }) => type === 'ringing', 40_000);
  // one who waits hears neither the caller nor the other one
  expect(heard(colleague, ['caller', 'second', 'greeting'])).toEqual([]);
  await at.tells('bridged');
  await hearEachOther(parties);
  expect(await at.tells('said to all')).toMatchObject({ wasHeard: true });
  await Promise.all(parties.map(([phone, own]) => hearsSound(phone, own === 'caller' ? 'second' : 'caller')));
  const said: readonly Sound[] = ['briefing', 'whisper', 'music'];
  expect(parties.map(([phone]) => heard(phone, said))).toEqual([
    ['briefing', 'music'],
    ['whisper', 'music'],
    ['music'],
  ]);
  const from = [caller, colleague].map((phone) => phone.heard.all.length);
  second.client.hangUp();
  await second.ended();
  const two = parties.slice(0, 2);
  await hearEachOther(two);
  expectGoesOn(caller, 'colleague', from[0] ?? 0);
  expectGoesOn(colleague, 'caller', from[1] ?? 0);
  expect(at.runner.told.some(({ event }) => event === 'bridge over')).toBe(false);
  colleague.client.hangUp();
  if (leaves) {
    await caller.ended();
    const { id } = await at.tells('over');
    expect(await at.record(id)).toMatchObject({ endReason: 'transferred', attempt: 1 });
  } else {
    expect(await at.tells('bridge over')).toMatchObject({ by: 'colleague' });
    expect(await at.tells('back')).toMatchObject({ wasHeard: true });
    expect(heard(caller, ['greeting'], from[0])).toEqual(['greeting']);
    caller.client.hangUp();
  }
  await at.nothingIsLeft();
}

testsAtOnce(
  {
    'three hear each other, each hears what is said to them alone, and two go on when one leaves': () => three(false),
    'the same when the bot has left them to each other': () => three(true),
  },
  180_000,
);
