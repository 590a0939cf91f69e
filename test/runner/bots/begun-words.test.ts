import { CallerSpeech } from '../../../src/call/folder/caller-speech.js';
import { BegunWords } from '../../../src/runner/bots/begun-words.js';

const LOUD = new Int16Array(160).fill(3_000);
const QUIET = new Int16Array(160).fill(40);

let now: number;
let speech: CallerSpeech;
let begun: BegunWords;
beforeEach(() => {
  now = 10_000;
  speech = new CallerSpeech();
  begun = new BegunWords(speech, () => now);
});

/** The time of so many milliseconds goes by, with this sound of the caller. */
function pass(ms: number, pcm = QUIET): void {
  for (const end = now + ms; now < end; now += 20) speech.heard(pcm, now);
}
const final = () => begun.hides({ type: 'said', speaker: 'caller', text: 'My name is Ada.' });
const interim = () => begun.hides({ type: 'interim_transcript', text: 'My name' });

test('what the caller was saying over the end of a notice stays out when the ears tell it, and what follows is kept', () => {
  pass(1_500, LOUD);
  begun.keep();
  pass(300, LOUD);
  pass(500);
  expect([final(), final()]).toEqual([true, false]);
});

test('what was said before it, and is understood after it, stays out', () => {
  pass(600, LOUD);
  pass(300);
  begun.keep();
  pass(500);
  expect(final()).toBe(true);
});

test('what the caller begins to say after it is kept, however soon the ears tell it', () => {
  pass(3_000);
  begun.keep();
  pass(400, LOUD);
  expect(final()).toBe(false);
});

test('a sound of which the ears understand nothing keeps out no words of later', () => {
  pass(200, LOUD);
  begun.keep();
  pass(2_500);
  pass(700, LOUD);
  pass(400);
  expect(final()).toBe(false);
});

test('what was understood as a whole before it is over', () => {
  pass(800, LOUD);
  pass(400);
  expect(final()).toBe(false); // nothing is kept yet, whatever it says
  begun.keep();
  pass(300, LOUD);
  expect(final()).toBe(false);
});

test('words too low to be told from the noise of the line stay out where the ears have begun to understand them', () => {
  pass(500);
  interim();
  begun.keep();
  pass(200);
  expect([final(), final()]).toEqual([true, false]);
});

test('what the bot has said, and what the caller types, is no part of it', () => {
  pass(500, LOUD);
  begun.keep();
  expect(begun.hides({ type: 'said', speaker: 'bot', text: 'Hello!' })).toBe(false);
  expect(begun.hides({ type: 'said', speaker: 'caller', text: 'Hi', startedAt: 1, typed: true })).toBe(false);
  expect(final()).toBe(true);
});
