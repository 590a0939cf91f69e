import type { TimelineEvent } from '../../../src/call/timeline.js';
import type { TimelineEventOf } from '../../../src/call/view/events.js';
import { afterHold, CHARACTER_MS, wholeWords, withLostSpeech } from '../../../src/call/view/lost-speech.js';

test('what had not been heard when the bot was held is heard later, by what was left of the hold when it was told', () => {
  const held = { type: 'speech_held', at: 10_000, ms: 1_000, resumed: true } as TimelineEventOf<'speech_held'>;
  const text = 'Twenty characters it';
  const piece = (startsAt: number, at: number) => ({ text, startsAt, at });
  const over = piece(9_000 - text.length * CHARACTER_MS, 7_000);
  const pieces = [over, piece(8_500, 7_000), piece(9_800, 7_000), piece(11_000, 9_400)];
  expect(afterHold(pieces, held).map(({ startsAt }) => startsAt)).toEqual([over.startsAt, 9_500, 10_800, 11_600]);
});

test.each([
  ['Good morning, Ada', 'Good morning,', 15],
  ['您好欢迎致电', '您好欢迎', 5],
  ['สวัสดีค่ะยินดี', 'สวัสดีค่ะ', 11],
])('of %s that is cut, "%s" was heard whole', (text, heard, length) => {
  expect(text.slice(0, wholeWords(text, length)).trim()).toBe(heard);
});

test('sentences without spaces of a bot that is lost are told without spaces', () => {
  const at = 10_000;
  const saying = (text: string, startsAt: number) => ({ type: 'saying', text, startsAt, at, source: 'bot', bot: 1 });
  const lost = { type: 'bot_done', outcome: 'lost', bot: 1, at: at + 1_000 + 3 * CHARACTER_MS };
  const events = [saying('您好。', at), saying('欢迎致电。', at + 1_000), saying('请问', at + 3_000), lost];
  const [said] = withLostSpeech(events as TimelineEvent[]).slice(-2);
  expect(said).toMatchObject({ text: '您好。欢迎', unheard: '致电。请问' });
});
