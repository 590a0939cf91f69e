import { StandbyEars } from '../../../../src/bot/services/live/standby-ears.js';
import { CallEar } from '../../../../src/bot/services/stt/call-ear.js';
import type { EarListener, EarSource } from '../../../../src/bot/services/stt/ear.js';

const LISTENER: EarListener = { interim: () => {}, final: () => {}, endOfTurn: () => {}, troubled: () => {} };

/** Ears for each language, which note what they got. */
function ears(language = 'en', made: Array<{ language: string; heard: number[]; isClosed: boolean }> = []) {
  const source: EarSource = {
    provider: 'One',
    language,
    inLanguage: (other) => (other === language ? source : ears(other, made).source),
    create: () => {
      const one = { language, heard: [] as number[], isClosed: false };
      made.push(one);
      return {
        droppedMs: 0,
        write: (pcm) => one.heard.push(pcm[0] ?? 0),
        close: () => {
          one.isClosed = true;
        },
      };
    },
  };
  return { source, made };
}

const sound = (value: number) => new Int16Array(160).fill(value);

test.each<[string, string[], string]>([
  ['is set before the call begins', ['de'], 'de'],
  ['is the one they are made for', ['en'], 'en'],
  ['changes back', ['de', 'en'], 'en'],
])('ears that wait wake in the language of the call, which %s', (_, tags, language) => {
  const { source, made } = ears();
  const standby = new StandbyEars(source);
  const ear = new CallEar(standby);
  for (const tag of tags) ear.speak(tag);
  ear.open(8_000, LISTENER);
  ear.write(sound(1));
  expect(made).toEqual([]);
  standby.wake('turn');
  ear.write(sound(2));
  expect(made).toEqual([{ language, heard: [1, 2], isClosed: false }]);
});

test('a change of language while they wait costs no sound and tells none twice; once awake they follow it, too', () => {
  const { source, made } = ears();
  const standby = new StandbyEars(source);
  const ear = new CallEar(standby);
  ear.open(8_000, LISTENER);
  standby.begin();
  ear.write(sound(1));
  ear.speak('de');
  ear.write(sound(2));
  standby.wake('turn');
  ear.speak('en');
  ear.write(sound(3));
  expect(made.map(({ language, isClosed }) => [language, isClosed])).toEqual([
    ['de', true],
    ['en', false],
  ]);
  expect([made[0]?.heard, made[1]?.heard.at(-1)]).toEqual([[1, 2], 3]);
  ear.close();
  expect(made.every(({ isClosed }) => isClosed)).toBe(true);
});
