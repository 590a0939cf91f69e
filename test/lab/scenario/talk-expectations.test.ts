import { MadeTalk, TALK_AT } from '../../call/view/made-talk.js';
import { audioOf, missed, storyOf } from './stories.js';

/** A story of a made-up talk. @param hasAudio whether there is a recording of it */
const storyOfTalk = (talk: MadeTalk, hasAudio = true) =>
  storyOf({
    answeredAt: TALK_AT,
    events: talk.ends().events,
    lengthMs: talk.lengthMs,
    audio: hasAudio
      ? { caller: audioOf(talk.lengthMs, ...talk.caller), bot: audioOf(talk.lengthMs, ...talk.bot) }
      : undefined,
  });

const ALL = { cutOffs: 0, talkOver: 0, falseStops: 0, resumes: 0, hole: '900ms' } as const;

const polite = () =>
  new MadeTalk(12_000)
    .says(1_000, 2_000, 'When are you open?')
    .answers(2_900, 6_000, 'On Sunday', 'we are closed.')
    .says(5_600, 6_600, 'And on Monday?')
    .answers(7_400, 9_000, 'From eight.');

const rude = () =>
  new MadeTalk(20_000)
    .says(1_000, 2_000, 'I would like')
    .answers(2_500, 3_200, 'What', 'would you like?')
    .says(2_800, 4_000, 'a table')
    .answers(4_600, 5_300, 'For', 'how many?')
    .says(5_000, 6_000, 'for two.')
    .answers(6_800, 9_000, 'There is one', 'at noon.')
    .says(8_700, 8_900)
    .answers(11_500, 13_000, 'at noon.');

test('a call in which both sides get on holds, by its sound and by its events', () => {
  for (const hasAudio of [true, false]) expect(missed(ALL, storyOfTalk(polite(), hasAudio))).toEqual([]);
});

test('one in which they do not says what was heard when, by its sound and by its events', () => {
  for (const hasAudio of [true, false])
    expect(missed(ALL, storyOfTalk(rude(), hasAudio))).toEqual([
      'cutOffs: never an answer before the caller has finished; 2 times; the bot answered "What would you like?" for 0.70 s before the caller had finished, and the caller went on with "a table"; at 4.60 s the bot answered "For how many?" for 0.70 s before the caller had finished, and the caller went on with "for two." @ 2500',
      'talkOver: never the bot over the caller; 2 times; the bot began "What would you like?" for 0.70 s before the caller had finished, and the caller went on with "a table"; at 4.60 s the bot began "For how many?" for 0.70 s before the caller had finished, and the caller went on with "for two." @ 2500',
      'falseStops: never a bot that is stopped by a sound that says nothing; the bot was stopped in "There is one at noon." by a sound of which nothing was understood, and was heard again after 2.50 s @ 9000',
      'hole: at most 0.90 s until the bot is heard; neither side was heard for 2.50 s @ 9000',
    ]);
});

test('counts are what may happen at most, but resumes, which are as many as there are', () => {
  expect(missed({ cutOffs: 2, talkOver: '1.4s', falseStops: 1, hole: '2.5s' }, storyOfTalk(rude()))).toEqual([]);
  expect(missed({ talkOver: '1s', cutOffs: 1 }, storyOfTalk(rude())).map((one) => one.split(';')[0])).toEqual([
    'cutOffs: at most once an answer before the caller has finished',
    'talkOver: the bot over the caller for at most 1.00 s',
  ]);
  const held = new MadeTalk(12_000)
    .says(500, 1_500, 'When are you open?')
    .answers(1_900, 9_000, 'On Sunday we are closed.')
    .says(4_000, 4_400, 'Uh-huh.')
    .held(4_200, 4_600, true);
  expect(missed({ resumes: 1, falseStops: 0 }, storyOfTalk(held))).toEqual([]);
  expect(missed({ resumes: 0 }, storyOfTalk(held))).toEqual([
    'resumes: a bot that holds its speech and goes on: never; the bot held "On Sunday we are closed." for 0.40 s, and went on @ 4200',
  ]);
  expect(missed({ resumes: 2 }, storyOfTalk(held))).toEqual([
    expect.stringMatching(/^resumes: a bot that holds its speech and goes on: 2 times; the bot held /),
  ]);
  expect(missed({ resumes: 1 }, storyOfTalk(polite()))).toEqual([
    'resumes: a bot that holds its speech and goes on: once; never',
  ]);
});

test('what could not happen in a call does not hold', () => {
  const silent = new MadeTalk(5_000).answers(500, 2_000, 'Welcome.');
  const none = 'nothing was measured: the caller';
  expect(missed(ALL, storyOfTalk(silent)).map((one) => one.split('; ')[1])).toEqual([
    `${none} has not spoken`,
    `${none} has not spoken`,
    `${none} has made no sound while the bot spoke`,
    `${none} has made no sound while the bot spoke`,
    `${none} has not spoken`,
  ]);
  const alone = new MadeTalk(5_000).says(500, 2_000, 'Hello?');
  expect(missed({ cutOffs: 0, hole: '2s' }, storyOfTalk(alone))).toEqual([
    'cutOffs: never an answer before the caller has finished; nothing was measured: the bot was not heard',
    'hole: at most 2.00 s until the bot is heard; neither side was heard for 3.00 s @ 2000',
  ]);
});

test('nothing is measured where nothing is expected', () => {
  expect(missed({ heard: 'There is one' }, storyOfTalk(rude()))).toEqual([]);
});
