import type { CallRecord } from '../../../src/call/call-record.js';
import type { TalkFigures } from '../../../src/call/view/talk-figures.js';
import { momentsToTell, momentWords, talkRows } from '../../../src/call/view/talk-words.js';
import { MadeTalk, TALK_AT } from './made-talk.js';

/** The figures that both ways of computing agree on. */
function figuresOf(talk: MadeTalk) {
  const { sound, events } = talk.figures();
  const bare = ({ by: _, ...figures }: TalkFigures) => figures;
  expect(bare(events)).toEqual(bare(sound));
  expect([sound.by, events.by]).toEqual(['sound', 'events']);
  const { cutOffs, talkOver, falseStops, resumes, hole } = sound;
  const at = hole && { at: hole.at - TALK_AT, ms: hole.ms };
  return { counts: [cutOffs, talkOver.times, falseStops, resumes], overMs: talkOver.ms, hole: at, sound };
}

/** A greeting, and a question that is asked with a pause. */
const asked = (pauseMs: number) =>
  new MadeTalk(14_000)
    .answers(500, 2_000, 'Welcome.')
    .says(3_000, 4_000, 'I would like a table')
    .says(4_000 + pauseMs, 5_000 + pauseMs, 'on Sunday for two.');

test('words that were typed belong to the sound in which they are said, later than they were typed', () => {
  const talk = (typedAt?: number) => {
    const made = new MadeTalk(12_000).says(2_000, 4_500).answers(3_000, 6_000, 'Welcome.');
    const typed = typedAt !== undefined && { startedAt: TALK_AT + typedAt, typed: true as const };
    return made.note(4_700, { type: 'said', speaker: 'caller', text: 'A table, please.', ...typed });
  };
  const { counts } = figuresOf(talk(1_500));
  expect(counts).toEqual(figuresOf(talk()).counts);
  expect(counts[0]).toBe(1);
});

describe('a caller who has finished', () => {
  test('is not cut off, and waits as long as both sides are silent', () => {
    const { counts, hole } = figuresOf(asked(900).answers(6_800, 9_000, 'We are closed.'));
    expect(counts).toEqual([0, 0, 0, 0]);
    expect(hole).toEqual({ at: 5_900, ms: 900 });
  });

  test('is not talked over by what they say to the bot later, or after they were silent for long', () => {
    const late = new MadeTalk(12_000)
      .says(1_000, 2_000, 'Hello?')
      .answers(2_800, 6_000, 'Good morning. How can', 'I help you?')
      .says(5_500, 6_500, 'A table, please.');
    expect(figuresOf(late).counts).toEqual([0, 0, 0, 0]);
    const again = new MadeTalk(12_000)
      .says(1_000, 2_000, 'Hello?')
      .answers(6_000, 9_000, 'Good morning.')
      .says(6_400, 7_000, 'Hello?');
    expect(figuresOf(again).counts).toEqual([0, 0, 0, 0]);
  });

  test('is not talked over by the next sentence of the bot, nor by a bot that begins at the same moment', () => {
    const next = new MadeTalk(12_000)
      .says(1_000, 2_000, 'When are you open?')
      .answers(2_800, 4_000, 'Let me look.')
      .answers(5_000, 7_000, 'On Sunday.')
      .says(5_600, 6_200, 'And on Monday?');
    expect(figuresOf(next).counts).toEqual([0, 0, 0, 0]);
    const same = new MadeTalk(8_000).says(2_000, 3_000, 'Hello?').answers(1_900, 4_000, 'Good morning.');
    expect(figuresOf(same).counts).toEqual([0, 0, 0, 0]);
  });
});

describe('a caller who has not finished', () => {
  test('is cut off by an answer in their pause: for how long, with the words of both', () => {
    const { counts, overMs, sound } = figuresOf(asked(900).answers(4_700, 5_300, 'We', 'are closed.'));
    expect(counts).toEqual([1, 1, 0, 0]);
    expect(overMs).toBe(600);
    expect(sound.moments.map(({ at, ...moment }) => ({ ...moment, atMs: at - TALK_AT }))).toMatchObject([
      { figure: 'cutOffs', atMs: 4_700, ms: 600, bot: 'We are closed.', caller: 'on Sunday for two.' },
      { figure: 'talkOver', atMs: 4_700, ms: 600 },
      { figure: 'hole', atMs: 5_900 },
    ]);
  });

  test('is cut off behind a word that would be "uh-huh" while the bot speaks', () => {
    const talk = new MadeTalk(12_000)
      .answers(500, 2_000, 'Do you want a table?')
      .says(2_600, 3_000, 'Yes.')
      .says(3_800, 5_000, 'On Sunday for two.')
      .answers(3_600, 4_200, 'For', 'when?');
    expect(figuresOf(talk).counts).toEqual([1, 1, 0, 0]);
  });

  test('is cut off by a bot that answers while they speak, and goes on to its end', () => {
    const { counts, overMs } = figuresOf(
      new MadeTalk(9_000).says(1_000, 5_000, 'One, two, three, four, five.').answers(3_000, 6_000, 'Two.'),
    );
    expect(counts).toEqual([1, 1, 0, 0]);
    expect(overMs).toBe(2_000);
  });

  test('is talked over, and not cut off, by a recorded line and by speech that was held', () => {
    const line = asked(900).note(5_300, {
      type: 'line_played',
      line: 'hold',
      text: 'One moment, please.',
      startedAt: TALK_AT + 4_700,
    });
    line.bot.push([4_700, 5_300]);
    expect(figuresOf(line).counts).toEqual([0, 1, 0, 0]);
    const held = new MadeTalk(12_000)
      .answers(1_000, 9_000, 'We are open from eight.')
      .says(3_000, 3_700, 'No,')
      .held(3_200, 4_000, true)
      .says(4_400, 5_400, 'on Monday, please.');
    expect(figuresOf(held).counts).toEqual([0, 1, 0, 1]);
  });

  test('is cut off by an answer that is held as soon as they go on, and dropped', () => {
    const talk = new MadeTalk(14_000)
      .says(1_000, 2_000, 'I would like to know,')
      .answers(2_600, 4_700, 'I am', 'well, thank you.')
      .says(3_160, 4_500, 'when you are open.')
      .held(3_160, 4_700, false)
      .answers(5_200, 7_000, 'On Sunday.');
    const { counts, overMs } = figuresOf(talk);
    expect(counts).toEqual([1, 1, 0, 0]);
    expect(overMs).toBe(560);
  });

  test('is not talked over where they only cough, or say "uh-huh", as the bot begins', () => {
    for (const words of [undefined, 'Uh-huh.', 'Mhm, okay.']) {
      const talk = new MadeTalk(12_000)
        .says(1_000, 2_000, 'When are you open?')
        .answers(2_800, 6_000, 'On Sunday.')
        .says(3_200, 3_700, words);
      expect(figuresOf(talk).counts).toEqual([0, 0, 0, 0]);
    }
  });

  test('is talked over by their sound alone where nothing is understood in the whole call', () => {
    const talk = new MadeTalk(12_000).says(1_000, 2_000).says(2_900, 4_000).answers(2_700, 5_000, 'A beep.');
    expect(figuresOf(talk).counts).toEqual([1, 1, 0, 0]);
  });

  test('goes on with the words that come late, while they speak on', () => {
    const talk = new MadeTalk(12_000)
      .says(1_000, 2_000, 'I would like', 2_800)
      .says(2_700, 4_000, 'a table.')
      .answers(2_500, 2_900, 'What', 'would you like?');
    const { counts, sound } = figuresOf(talk);
    expect(counts).toEqual([1, 1, 0, 0]);
    expect(sound.moments[0]?.caller).toBe('a table.');
  });
});

describe('a sound of the caller', () => {
  const over = (words?: string) =>
    new MadeTalk(14_000)
      .says(500, 1_500, 'When are you open?')
      .answers(2_300, 4_900, 'On Sunday we are', 'closed, and on Monday too.')
      .says(4_500, 4_800, words);

  test('that stops the bot and says nothing is a false stop, with the silence until the bot goes on', () => {
    const { counts, hole, sound } = figuresOf(over().answers(7_300, 9_000, 'closed, and on Monday too.'));
    expect(counts).toEqual([0, 0, 1, 0]);
    expect(hole).toEqual({ at: 4_900, ms: 2_400 });
    expect(sound.moments.find(({ figure }) => figure === 'falseStops')).toMatchObject({
      at: TALK_AT + 4_900,
      ms: 2_400,
    });
  });

  test('that is "uh-huh" is one too; words that say something are an interruption', () => {
    expect(figuresOf(over('Uh-huh, ja.').answers(7_300, 9_000, 'closed.')).counts).toEqual([0, 0, 1, 0]);
    expect(figuresOf(over('And on Tuesday?').answers(6_300, 9_000, 'Open.')).counts).toEqual([0, 0, 0, 0]);
  });

  test('that is followed by words is no false stop, nor is one with a key or at the end of the call', () => {
    expect(figuresOf(over().says(5_400, 6_400, 'And on Tuesday?').answers(7_300, 9_000, 'Open.')).counts[2]).toBe(0);
    expect(figuresOf(over().note(4_700, { type: 'keys', direction: 'in', keys: '1' })).counts[2]).toBe(0);
    const end = new MadeTalk(5_300).answers(1_000, 4_900, 'On', 'Sunday.').says(4_500, 4_800);
    expect(figuresOf(end).counts[2]).toBe(0);
  });

  test('is no false stop where no words are kept, or the recording pauses: nothing is known of it', () => {
    const unkept = over().answers(7_300, 9_000, 'closed, and on Monday too.');
    const kept = unkept.events.filter(({ type }) => type !== 'said');
    unkept.events.splice(0, unkept.events.length, ...kept);
    expect(figuresOf(unkept).counts[2]).toBe(0);
    const paused = over()
      .note(2_000, { type: 'recording', is: 'paused' })
      .note(6_000, { type: 'recording', is: 'resumed' })
      .answers(7_300, 9_000, 'closed, and on Monday too.');
    expect(figuresOf(paused).counts[2]).toBe(0);
  });

  test('is not the cause where the bot stops without one, or began after it', () => {
    const alone = new MadeTalk(9_000).says(500, 1_500, 'Hello?').answers(2_300, 6_000, 'Good', 'morning.');
    expect(figuresOf(alone).counts[2]).toBe(0);
  });

  test('for which the bot holds its speech and goes on is a resume, and the hole is where both are silent', () => {
    const talk = new MadeTalk(12_000)
      .says(500, 1_500, 'When are you open?')
      .answers(1_900, 9_000, 'On Sunday we are closed.')
      .says(4_000, 4_400)
      .held(4_200, 4_900, true);
    const { counts, hole, sound } = figuresOf(talk);
    expect(counts).toEqual([0, 0, 0, 1]);
    expect(hole).toEqual({ at: 4_400, ms: 500 });
    expect(sound.moments[0]).toMatchObject({ figure: 'resumes', at: TALK_AT + 4_200, ms: 700 });
  });

  test('for which the bot holds its speech and does not go on is none', () => {
    const talk = new MadeTalk(12_000)
      .answers(1_900, 4_900, 'On Sunday', 'we are closed.')
      .says(4_000, 5_200, 'And on Monday?')
      .held(4_200, 4_900, false)
      .answers(6_000, 8_000, 'Open.');
    expect(figuresOf(talk).counts).toEqual([0, 0, 0, 0]);
  });
});

describe('the hole', () => {
  test('is no silence of a caller who has not spoken, nor one after a cough', () => {
    const silent = new MadeTalk(20_000).answers(500, 2_000, 'Welcome.').answers(9_000, 10_000, 'Are you there?');
    expect(figuresOf(silent).hole).toBeUndefined();
    const cough = new MadeTalk(20_000)
      .says(500, 1_500, 'Hello?')
      .answers(2_000, 3_000, 'Welcome.')
      .says(4_000, 4_300)
      .answers(9_000, 10_000, 'Are you there?');
    expect(figuresOf(cough).hole).toEqual({ at: 1_500, ms: 500 });
  });

  test('is not broken by a breath of the caller who waits', () => {
    const breath = new MadeTalk(12_000).says(500, 1_500, 'Hello?').says(3_000, 3_200).answers(7_500, 9_000, 'Welcome.');
    expect(figuresOf(breath).hole).toEqual({ at: 1_500, ms: 6_000 });
  });

  test('ends with the call, whatever is noted after it', () => {
    const talk = new MadeTalk(4_000).answers(500, 1_500, 'Hello.').says(2_000, 3_000, 'Bye.');
    const record = { endedAt: TALK_AT + 4_000 } as CallRecord;
    talk.note(4_010, { type: 'record', record }).note(9_000, { type: 'bot_done', bot: 1, outcome: 'returned' });
    expect(talk.figures().events.hole).toEqual({ at: TALK_AT + 3_000, ms: 1_000 });
  });

  test('is a silence that only the caller breaks, or the end of the call', () => {
    const twice = new MadeTalk(12_000)
      .says(1_000, 2_000, 'Hello?')
      .says(7_000, 7_500, 'Hello?')
      .answers(8_000, 9_000, 'Yes.');
    expect(figuresOf(twice).hole).toEqual({ at: 2_000, ms: 5_000 });
    expect(figuresOf(new MadeTalk(9_000).answers(100, 900, 'Yes?').says(1_000, 2_000, 'Hello?')).hole).toEqual({
      at: 2_000,
      ms: 7_000,
    });
  });

  test('is not where the caller is with another person, or the recording pauses', () => {
    const transferred = new MadeTalk(20_000)
      .says(1_000, 2_000, 'Your boss, please.')
      .note(2_500, { type: 'transfer_asked', to: '+12025550101' })
      .note(12_000, { type: 'transfer_over', to: '+12025550101', status: 'busy' })
      .answers(12_400, 14_000, 'It is busy.');
    expect(figuresOf(transferred).hole).toEqual({ at: 2_000, ms: 500 });
    const paused = new MadeTalk(20_000)
      .says(1_000, 2_000, 'My card.')
      .note(2_300, { type: 'recording', is: 'paused' })
      .note(12_000, { type: 'recording', is: 'resumed' })
      .answers(12_400, 14_000, 'Thank you.');
    expect(figuresOf(paused).hole).toEqual({ at: 2_000, ms: 300 });
  });
});

test('events that stand out of order, as those of several processes do, tell the same', () => {
  const talk = asked(900).answers(4_700, 5_300, 'We', 'are closed.');
  const { events } = talk.figures();
  talk.events.reverse();
  expect(talk.figures().events).toEqual(events);
});

test('a call of which nothing is known has no figures but noughts', () => {
  const { sound } = figuresOf(new MadeTalk(0));
  expect(sound).toEqual({
    by: 'sound',
    callerSpoke: false,
    botSpoke: false,
    cutOffs: 0,
    talkOver: { times: 0, ms: 0 },
    falseStops: 0,
    resumes: 0,
    moments: [],
  });
});

test('the figures and their moments in words: a cut-off is not told again as talk over the caller', () => {
  const { sound } = figuresOf(asked(900).answers(4_700, 5_300, 'We', 'are closed.').answers(6_800, 9_000, 'Yes.'));
  expect(talkRows(sound)).toEqual([
    ['cut off', 'once'],
    ['talked over', 'once (0.60 s)'],
    ['false stops', 'never'],
    ['resumes', 'never'],
    ['longest hole', '0.90 s'],
  ]);
  expect(momentsToTell(sound).map(momentWords)).toEqual([
    'the bot answered "We are closed." for 0.60 s before the caller had finished, and the caller went on with "on Sunday for two."',
    'neither side was heard for 0.90 s',
  ]);
  expect(momentWords({ figure: 'falseStops', at: 0, bot: 'On Sunday.' })).toBe(
    'the bot was stopped in "On Sunday." by a sound of which nothing was understood, and was not heard again',
  );
  expect(momentWords({ figure: 'falseStops', at: 0, ms: 2_400, caller: 'uh-huh' })).toBe(
    'the bot was stopped in what it said by "uh-huh", and was heard again after 2.40 s',
  );
  expect(momentWords({ figure: 'resumes', at: 0, ms: 700 })).toBe('the bot held its speech for 0.70 s, and went on');
  expect(momentWords({ figure: 'talkOver', at: 0, ms: 700 })).toBe(
    'the bot began for 0.70 s before the caller had finished, and the caller went on',
  );
});
