import type { TurnTakingOptions } from '../../../src/bot/conversation/turn-options.js';
import { TurnTaking } from '../../../src/bot/conversation/turn-taking.js';

/** A caller whose voice and words a test scripts; the log has what was decided, with its time in milliseconds. */
function setUp(options: TurnTakingOptions = {}) {
  jest.useFakeTimers();
  let startedAt = performance.now();
  const log: string[] = [];
  const note = (what: string) => log.push(`${Math.round(performance.now() - startedAt)} ${what}`);
  const taking = new TurnTaking(options, {
    callerStarted: () => note('started'),
    callerStopped: (at) => note(`stopped at ${Math.round(at - startedAt)}`),
    mayHaveFinished: (text) => note(`perhaps: ${text}`),
    overtaken: () => note('overtaken'),
    held: () => note('held'),
    wentOn: () => note('went on'),
    mutated: () => {},
    muted: () => {},
    passedOver: () => {},
    bargedIn: (hadNotFinished) => note(hadNotFinished ? 'barged in, had not finished' : 'barged in'),
    turnEnded: (text) => note(`said: ${text}`),
    nothingSaid: (hasBargedIn, hadWords) =>
      note(`nothing${hasBargedIn ? ', barged in' : ''}${hadWords ? ', had words' : ''}`),
  });
  const voice = (isSpeech: boolean, ms: number, hangoverMs = 0) => {
    for (let at = 0; at < ms; at += 20) {
      taking.hear(isSpeech, 20, hangoverMs);
      jest.advanceTimersByTime(20);
    }
  };
  return {
    taking,
    log,
    speaks: (ms: number) => voice(true, ms),
    isSilent: (ms: number, hangoverMs?: number) => voice(false, ms, hangoverMs),
    /** Time counts from now, and nothing has been logged. */
    restart: () => {
      log.length = 0;
      startedAt = performance.now();
    },
    said: () => log.filter((line) => line.includes('said:')),
    /** What has been said, without the times. */
    texts: () => log.flatMap((line) => line.split('said: ').slice(1)),
  };
}

afterEach(() => {
  jest.useRealTimers();
});

/** The first turns of a call are given more time; these are not. */
function setUpKnown(options: TurnTakingOptions = {}) {
  const scene = setUp(options);
  for (let turn = 0; turn < 3; turn += 1) {
    scene.speaks(400);
    scene.taking.addFinal('Hello there.');
    scene.isSilent(1_400);
  }
  scene.restart();
  return scene;
}

const DONE = 'What time is it?';

describe("the end of the caller's turn", () => {
  test('is 1.32 s after the last sound in the first turns, and 0.8 s once the caller is known', () => {
    const { taking, speaks, isSilent, said } = setUp();
    for (let turn = 0; turn < 4; turn += 1) {
      speaks(1_000);
      taking.addFinal(DONE);
      isSilent(2_000);
    }
    expect(said()).toEqual([2_320, 5_320, 8_000, 10_800].map((at) => `${at} said: ${DONE}`));
  });

  test('counts from the last sound, not from when the detector tells of it', () => {
    const { taking, speaks, isSilent, log } = setUpKnown();
    speaks(1_000);
    taking.addFinal(DONE);
    isSilent(2_000, 200);
    expect(log).toEqual(['0 started', '1000 stopped at 800', `1000 perhaps: ${DONE}`, `1600 said: ${DONE}`]);
  });

  test.each([
    ['I want a pizza and', 1_600],
    ['My name is, um...', 1_600],
    ['It was blue, so.', 1_600],
    ['It is for the', 1_600],
    ['My number is 0 1 7', 1_600],
    ['It is M I', 1_600],
    ['I want', 1_360],
    ['It is 4.', 800],
    ['What does it look like?', 800],
    ['How much is that?', 800],
    ['I would like that.', 800],
    ['I think so.', 800],
    ['Tomorrow at 10:30.', 800],
    ['Call me at 2025550123.', 800],
  ])('after "%s" is %i ms after the last sound', (text, ms) => {
    const { taking, speaks, isSilent, said } = setUpKnown();
    speaks(1_000);
    taking.addFinal(text);
    isSilent(ms - 20);
    expect(said()).toEqual([]);
    isSilent(60);
    expect(said()).toEqual([`${1_000 + ms} said: ${text}`]);
  });

  test('comes soon after a short answer to a question, also in the first turn', () => {
    const { taking, speaks, isSilent, said } = setUp();
    taking.wasAsked = true;
    speaks(400);
    taking.addFinal('The second one');
    isSilent(900);
    expect(said()).toEqual(['1200 said: The second one']);
  });

  test('of ears that never punctuate waits for no full stop', () => {
    const { taking, speaks, isSilent, said } = setUp();
    for (let turn = 0; turn < 4; turn += 1) {
      speaks(1_000);
      taking.addFinal('what time is it now');
      isSilent(2_000);
    }
    expect(said().at(-1)).toBe('10880 said: what time is it now');
  });

  test('a caller who goes on in the pause says it all in one turn', () => {
    const { taking, speaks, isSilent, said } = setUpKnown();
    speaks(600);
    taking.addFinal('I want');
    isSilent(800);
    speaks(600);
    taking.addFinal('a large pizza.');
    isSilent(1_000);
    expect(said()).toEqual(['2890 said: I want a large pizza.']);
  });

  test('waits for the final words, as long as these ears have needed before', () => {
    const { taking, speaks, isSilent, said } = setUpKnown();
    speaks(500);
    taking.addInterim('Hello there');
    isSilent(900);
    taking.addFinal('Hello, there.');
    isSilent(40);
    speaks(500);
    taking.addInterim('Anybody home?');
    isSilent(1_300);
    expect(said()).toEqual(['1400 said: Hello, there.', '3090 said: Anybody home?']);
  });

  test('waits for words of a voice that was heard since the last ones', () => {
    const { taking, speaks, isSilent, said } = setUpKnown();
    speaks(500);
    taking.addFinal('I want a pizza.');
    isSilent(300);
    speaks(500);
    isSilent(900); // and nothing has come of it yet
    expect(said()).toEqual([]);
    taking.addFinal('With cheese.');
    isSilent(20);
    expect(said()).toEqual(['2200 said: I want a pizza. With cheese.']);
  });

  test('a breath does not make it wait for words', () => {
    const { taking, speaks, isSilent, said } = setUpKnown();
    speaks(500);
    taking.addFinal('I want a pizza.');
    isSilent(300);
    speaks(100);
    isSilent(820);
    expect(said()).toEqual(['1700 said: I want a pizza.']);
  });

  test('a noise without words is no turn', () => {
    const { speaks, isSilent, log } = setUp();
    speaks(300);
    isSilent(3_000);
    expect(log).toEqual(['0 started', '300 stopped at 300', '2600 nothing']);
  });

  test('words that are taken back are told as such', () => {
    const { taking, speaks, isSilent, log } = setUp();
    speaks(300);
    taking.addInterim('Hello');
    isSilent(200);
    taking.addInterim('');
    isSilent(3_000);
    expect(log.at(-1)).toBe('2600 nothing, had words');
    expect(log).toContain('500 overtaken');
  });

  test('words that no detector heard are a turn all the same', () => {
    const { taking, isSilent, said } = setUp();
    taking.addFinal('Hello?');
    isSilent(1_400);
    expect(said()).toEqual(['1320 said: Hello?']);
  });

  test('a detector that hears a voice in noise does not keep the turn open', () => {
    const { taking, speaks, said, log } = setUp();
    speaks(500);
    taking.addFinal('Is anybody there?');
    speaks(2_600);
    expect(said()).toEqual(['3000 said: Is anybody there?']);
    taking.bot = 'speaking';
    speaks(2_000); // the noise goes on
    expect(log.some((line) => /held|barged in/.test(line))).toBe(false);
  });

  test.each([
    ['likely', '1100 perhaps: So I think and'],
    ['certain', '1800 said: So I think and'],
  ] as const)('is told by ears that detect it: %s', (is, expected) => {
    const { taking, speaks, isSilent, log } = setUpKnown({ turns: { unfinishedSilenceMs: 5_000 } });
    speaks(1_000);
    taking.addFinal('So I think and');
    isSilent(100);
    taking.addEndOfTurn(is);
    isSilent(1_000);
    expect(log).toContain(expected);
  });

  test('is told by ears that take it back', () => {
    const { taking, speaks, isSilent, log } = setUpKnown();
    speaks(1_000);
    taking.addFinal('So I think.');
    isSilent(100);
    taking.addEndOfTurn('revoked');
    expect(log.slice(-2)).toEqual(['1000 perhaps: So I think.', '1100 overtaken']);
  });
});

describe('what a call teaches', () => {
  /** A turn of two finished sentences with a pause between. */
  function paused({ taking, speaks, isSilent, said }: ReturnType<typeof setUp>, pauseMs: number): void {
    speaks(400);
    taking.addFinal('I have a question.');
    const before = said().length;
    isSilent(pauseMs);
    if (said().length > before) taking.bot = 'speaking';
    speaks(100);
    taking.addInterim('it is');
    taking.bot = 'idle';
    speaks(300);
    taking.addFinal('It is about my order.');
    isSilent(2_000);
  }

  test.each([900, 1_100, 1_300, 1_500])(
    'a caller who has twice gone on after %i ms is not cut off a third time',
    (pauseMs) => {
      const scene = setUpKnown();
      for (let turn = 0; turn < 4; turn += 1) paused(scene, pauseMs);
      const whole = scene.said().filter((line) => line.endsWith('I have a question. It is about my order.'));
      expect(whole.length).toBeGreaterThanOrEqual(2);
      expect(scene.said().slice(-2)).toEqual(whole.slice(-2));
    },
  );

  test('a caller who was cut off is waited for at once', () => {
    const { taking, speaks, isSilent, said, log } = setUpKnown();
    speaks(400);
    taking.addFinal('I have a question.');
    isSilent(900);
    taking.bot = 'thinking';
    speaks(100);
    taking.addInterim('it is');
    expect(log.at(-1)).toContain('barged in, had not finished');
    taking.bot = 'idle';
    speaks(300);
    taking.addFinal('It is about my order.');
    isSilent(980);
    expect(said()).toHaveLength(1);
    isSilent(100);
    expect(said()).toHaveLength(2);
  });

  test('is forgotten after some turns', () => {
    const scene = setUpKnown();
    paused(scene, 1_050);
    scene.restart();
    for (let turn = 0; turn < 6; turn += 1) {
      scene.speaks(400);
      scene.taking.addFinal(DONE);
      scene.isSilent(2_000);
    }
    const waits = scene.said().map((line, turn) => Number.parseInt(line, 10) - 400 - turn * 2_400);
    expect(Math.max(...waits)).toBeGreaterThan(800);
    expect(waits.at(-1)).toBe(800);
  });
});

describe('an answer is asked for early', () => {
  test('when the caller falls silent, and again when their words change', () => {
    const { taking, speaks, isSilent, log } = setUpKnown();
    speaks(500);
    taking.addInterim('What time');
    isSilent(100);
    taking.addInterim('what time is it');
    taking.addFinal('What time is it?'); // the same in plain words
    isSilent(800);
    expect(log).toEqual([
      '0 started',
      '500 stopped at 500',
      '500 perhaps: What time',
      '600 overtaken',
      '600 perhaps: what time is it',
      '1300 said: What time is it?',
    ]);
  });

  test('and is overtaken by words, not by a noise', () => {
    const { taking, speaks, isSilent, log } = setUpKnown();
    speaks(500);
    taking.addFinal('I want a pizza.');
    isSilent(300);
    speaks(140);
    expect(log.at(-1)).toBe('800 started');
    taking.addInterim('with');
    expect(log.at(-1)).toBe('940 overtaken');
  });

  test('later where the words go on', () => {
    const { taking, speaks, isSilent, log } = setUpKnown();
    speaks(500);
    taking.addFinal('I want a pizza and');
    isSilent(2_000);
    expect(log.slice(2)).toEqual(['1200 perhaps: I want a pizza and', '2100 said: I want a pizza and']);
  });

  test.each([
    ['while the bot speaks', {}, 'speaking'],
    ['where it is switched off', { turns: { askEarly: false } }, 'idle'],
  ] as const)('not %s', (_, options, bot) => {
    const { taking, speaks, isSilent, log } = setUpKnown(options);
    taking.bot = bot;
    speaks(200);
    taking.addFinal('Yes.');
    isSilent(400);
    expect(log.some((line) => line.includes('perhaps'))).toBe(false);
  });
});

describe('words that come late, twice or out of order', () => {
  test('in their final form after their turn are not said twice, nor is what they begin with', () => {
    const { taking, speaks, isSilent, texts } = setUpKnown();
    speaks(500);
    taking.addInterim('Hello');
    isSilent(2_400);
    taking.addInterim('Hello there');
    taking.addFinal('Hello there.');
    isSilent(3_000);
    expect(texts()).toEqual(['Hello', 'there.']);
  });

  test.each([
    ['the same final words twice', ['I want a pizza.', 'I want a pizza.']],
    ['the end of them again', ['I want a pizza.', 'a pizza']],
  ])('%s are one turn', (_, [first, again]) => {
    const { taking, speaks, isSilent, said } = setUpKnown();
    speaks(500);
    taking.addFinal(first as string);
    isSilent(100);
    taking.addFinal(first as string);
    isSilent(900);
    taking.bot = 'thinking';
    taking.addFinal(again as string);
    taking.addInterim(again as string);
    isSilent(3_000);
    taking.bot = 'idle';
    isSilent(3_000);
    expect(said()).toEqual(['1300 said: I want a pizza.']);
  });

  test('the same words said twice are said twice', () => {
    const { taking, speaks, isSilent, said } = setUpKnown();
    for (let time = 0; time < 2; time += 1) {
      speaks(300);
      taking.addFinal('No.');
      isSilent(100);
    }
    isSilent(2_000);
    expect(said()).toEqual(['1500 said: No. No.']);
  });
});

describe('while the bot speaks', () => {
  const speaking = (options: TurnTakingOptions = {}) => {
    const scene = setUpKnown(options);
    scene.taking.bot = 'speaking';
    scene.isSilent(2_000);
    scene.restart();
    return scene;
  };

  test('a voice holds it after the minimum, and words stop it', () => {
    const { taking, speaks, log } = speaking();
    speaks(360);
    expect(log).toEqual(['0 started']);
    speaks(200);
    taking.addInterim('stop');
    expect(log).toEqual(['0 started', '360 held', '560 barged in']);
  });

  test('a bot that has only begun is held at once', () => {
    const { taking, speaks, log } = setUpKnown();
    taking.bot = 'speaking';
    speaks(20);
    expect(log).toEqual(['0 started', '0 held']);
  });

  test('a voice without words lets it go on 250 ms after its last sound', () => {
    const { speaks, isSilent, log } = speaking();
    speaks(500);
    isSilent(1_000, 200);
    expect(log).toEqual(['0 started', '360 held', '500 stopped at 300', '550 went on']);
  });

  test.each(['Uh-huh.', 'okay', 'Mm-hmm', 'I see.'])('"%s" lets it go on, and is no turn', (words) => {
    const { taking, speaks, isSilent, log } = speaking();
    speaks(500);
    taking.addFinal(words);
    isSilent(3_000);
    taking.bot = 'idle';
    isSilent(3_000);
    const [nothing, ...others] = log.toReversed();
    expect(nothing).toMatch(/ nothing$/);
    expect(others.toReversed()).toEqual(['0 started', '360 held', '500 stopped at 500', '750 went on']);
  });

  test.each([
    ['de', 'genau'],
    ['es', 'sí'],
    ['fr', "d'accord"],
    ['it', 'va bene'],
  ] as const)('the backchannels are those of its language: %s, "%s"', (language, words) => {
    for (const [tag, isBackchannel] of [
      [language, true],
      ['en', false],
    ] as const) {
      const { taking, speaks, log } = speaking({ language: () => tag });
      speaks(500);
      taking.addInterim(words);
      expect(log.some((line) => line.includes('barged in'))).toBe(!isBackchannel);
    }
  });

  test('an empty list has every word stop it', () => {
    const { taking, speaks, log } = speaking({ bargeIn: { backchannels: [] } });
    speaks(500);
    taking.addInterim('uh-huh');
    expect(log.at(-1)).toBe('500 barged in');
  });

  test('a backchannel that goes on with other words stops it', () => {
    const { taking, speaks, log } = speaking();
    speaks(500);
    taking.addInterim('okay');
    taking.addInterim('okay but not today');
    expect(log.at(-1)).toBe('500 barged in');
  });

  test('a voice that goes on and on without a word holds it for four seconds, once', () => {
    const { speaks, log } = speaking();
    speaks(9_000);
    expect(log.filter((line) => /held|went on/.test(line))).toEqual(['360 held', '4360 went on']);
  });

  test('a voice holds it for as long as it speaks, until its words come', () => {
    const { taking, speaks, log } = speaking();
    speaks(3_000);
    taking.addFinal('Please stop now.');
    expect(log.filter((line) => /held|went on|barged/.test(line))).toEqual(['360 held', '3000 barged in']);
  });

  test('what interrupted is the turn that follows', () => {
    const { taking, speaks, isSilent, said } = speaking();
    speaks(500);
    taking.addInterim('Stop');
    taking.bot = 'idle';
    speaks(200);
    taking.addFinal('Stop it.');
    isSilent(900);
    expect(said()).toEqual(['1500 said: Stop it.']);
  });

  test('an interruption whose words are taken back is told', () => {
    const { taking, speaks, isSilent, log } = speaking();
    speaks(500);
    taking.addInterim('stop');
    taking.bot = 'idle';
    taking.addInterim('');
    isSilent(2_400);
    expect(log.at(-1)).toBe('2800 nothing, barged in, had words');
  });

  test('a wanted number of words must be understood first', () => {
    const { taking, speaks, log } = speaking({ bargeIn: { minWords: 2 } });
    speaks(800);
    taking.addInterim('wait');
    expect(log).toEqual(['0 started', '360 held']);
    taking.addInterim('wait please');
    expect(log.at(-1)).toBe('800 barged in');
  });

  test('a short answer just before its end counts when it has finished', () => {
    const { taking, speaks, isSilent, said } = speaking({ bargeIn: { minWords: 2 } });
    speaks(200);
    taking.addFinal('Thursday.');
    isSilent(1_000);
    expect(said()).toEqual([]);
    taking.bot = 'idle';
    isSilent(20);
    expect(said()).toEqual(['1200 said: Thursday.']);
  });

  test.each([
    [true, ['1000 said: Okay.']],
    [false, []],
  ])('"okay" at the end of what it says is an answer where that was a question: %s', (wasAsked, expected) => {
    const { taking, speaks, isSilent, said } = speaking();
    taking.wasAsked = wasAsked;
    speaks(200);
    taking.addFinal('Okay.');
    isSilent(200);
    taking.bot = 'idle';
    isSilent(1_000);
    expect(said()).toEqual(expected);
  });

  test('a short word long before its end is no answer', () => {
    const { taking, speaks, isSilent, said } = speaking({ bargeIn: { minWords: 3 } });
    speaks(200);
    taking.addFinal('Thursday.');
    isSilent(5_000);
    taking.bot = 'idle';
    isSilent(3_000);
    expect(said()).toEqual([]);
  });

  test('a bot that is not to be interrupted is not, and the words count afterwards', () => {
    const { taking, speaks, isSilent, log } = speaking({ bargeIn: false });
    speaks(2_000);
    taking.addFinal('I have a question.');
    isSilent(5_000);
    taking.bot = 'idle';
    isSilent(20);
    expect(log).toEqual([
      '0 started',
      '2000 stopped at 2000',
      '7000 perhaps: I have a question.',
      '7000 said: I have a question.',
    ]);
  });

  test('words that come while it only thinks take the floor at once', () => {
    const { taking, speaks, log } = setUpKnown();
    taking.bot = 'thinking';
    speaks(100);
    taking.addInterim('and');
    expect(log).toEqual(['0 started', '0 held', '100 barged in, had not finished']);
  });
});

describe('the bot has the floor', () => {
  test('words in a gap of a long answer interrupt it, and do not undo it', () => {
    const { taking, speaks, log } = setUpKnown();
    taking.bot = 'speaking';
    jest.advanceTimersByTime(2_000);
    taking.bot = 'thinking';
    speaks(100);
    taking.addInterim('take the first one');
    expect(log.at(-1)).toBe('2100 barged in');
  });

  test('a backchannel stops it no sooner for being the second or third', () => {
    const { taking, speaks, isSilent, log } = setUpKnown();
    taking.bot = 'speaking';
    isSilent(1_000);
    for (const words of ['Uh-huh.', 'Uh-huh.', 'I see.', 'Right, okay.']) {
      speaks(300);
      isSilent(400);
      taking.addFinal(words); // when the bot has gone on
      isSilent(300);
    }
    expect(log.filter((line) => line.includes('barged'))).toEqual([]);
  });

  test.each([
    ['Yes.', true],
    ['Right.', true],
    ['Emma.', true],
    ['Home.', true],
    ['Me?', true],
    ['Mm-hmm.', false],
    ['Hmmm, uh.', false],
    ['Uh-huh', false],
  ])('"%s" while it thinks is part of what it is to answer: %s', (words, isPart) => {
    const { taking, speaks, log } = setUpKnown();
    taking.bot = 'thinking';
    speaks(200);
    taking.addFinal(words);
    expect(log.some((line) => line.includes('barged in'))).toBe(isPart);
  });

  test('a sentence that was said before it spoke by itself is answered when it has finished', () => {
    const { taking, speaks, isSilent, texts } = setUpKnown();
    speaks(500);
    taking.addFinal('I have a question.');
    isSilent(300);
    taking.bot = 'speaking';
    isSilent(5_000);
    taking.bot = 'idle';
    isSilent(100);
    expect(texts()).toEqual(['I have a question.']);
  });
});

describe('a voice of which nothing is understood', () => {
  test.each([
    ['2.5 s by ears that tell words while they are said', true, 1_400 + 2_500],
    ['6 s by other ears', false, 1_400 + 6_000],
  ])('puts off the end of a turn that has words for %s', (_, areEager, endsAt) => {
    const { taking, speaks, isSilent, said } = setUpKnown();
    speaks(1_000);
    if (areEager) taking.addInterim('What time');
    taking.addFinal(DONE);
    isSilent(400);
    speaks(8_000);
    expect(said()).toEqual([`${endsAt} said: ${DONE}`]);
  });

  test('does so no longer when it comes and goes', () => {
    const { taking, speaks, isSilent, said } = setUpKnown();
    speaks(1_000);
    taking.addInterim('What time');
    taking.addFinal(DONE);
    isSilent(400);
    for (let burst = 0; burst < 20; burst += 1) {
      speaks(200);
      isSilent(300);
    }
    const [first = ''] = said();
    expect(Number.parseInt(first, 10)).toBeLessThanOrEqual(1_400 + 2_500 + 500);
    expect(said()).toHaveLength(1);
  });

  test.each([
    [600, 200],
    [1_000, 280],
  ])('holds the bot for four seconds in all, in bursts of %i ms with pauses of %i ms', (onMs, offMs) => {
    const { taking, speaks, isSilent, log } = setUpKnown();
    taking.bot = 'speaking';
    isSilent(2_000);
    for (let at = 0; at < 40_000; at += onMs + offMs) {
      speaks(onMs);
      isSilent(offMs);
    }
    const timesOf = (what: string) =>
      log.filter((line) => line.endsWith(what)).map((line) => Number.parseInt(line, 10));
    const [held, wentOn] = [timesOf(' held'), timesOf(' went on')];
    const heldMs = held.reduce((sum, from, index) => sum + (wentOn[index] ?? 0) - from, 0);
    expect(held).toHaveLength(wentOn.length);
    expect(heldMs).toBeGreaterThan(3_000);
    expect(heldMs).toBeLessThan(4_200);
  });

  test('does not teach a pause', () => {
    const { taking, speaks, isSilent, said, restart } = setUpKnown();
    speaks(1_000);
    taking.addInterim(DONE);
    isSilent(700);
    speaks(100);
    taking.addFinal(DONE);
    isSilent(2_000);
    restart();
    speaks(1_000);
    taking.addFinal(DONE);
    isSilent(1_000);
    expect(said()).toEqual([`1800 said: ${DONE}`]);
  });
});

describe('words that come late', () => {
  test('make no turn where they are the final form of an "uh-huh" that did not count', () => {
    const { taking, speaks, isSilent, log } = setUpKnown();
    taking.bot = 'speaking';
    isSilent(2_000);
    speaks(300);
    taking.addInterim('uh-huh');
    isSilent(100);
    taking.bot = 'idle';
    isSilent(200);
    taking.addFinal('Uh-huh.');
    isSilent(5_000);
    expect(log.filter((line) => /said|perhaps/.test(line))).toEqual([]);
  });

  test('and begin otherwise than they were understood first, say what stands behind those', () => {
    const { taking, speaks, isSilent, texts } = setUpKnown();
    speaks(1_000);
    taking.addInterim('i want to order two');
    isSilent(4_000);
    taking.addFinal("I'd like to order two pizzas.");
    isSilent(3_000);
    expect(texts()).toEqual(['i want to order two', 'pizzas.']);
  });

  test('are said twice where two voices have said them, and once where ears tell them twice', () => {
    const { taking, speaks, isSilent, texts } = setUpKnown();
    for (let voices = 0; voices < 2; voices += 1) {
      speaks(200);
      isSilent(400);
    }
    taking.addFinal('five');
    taking.addFinal('five');
    isSilent(3_000);
    speaks(200);
    isSilent(200);
    taking.addFinal('six');
    taking.addFinal('six');
    isSilent(3_000);
    expect(texts()).toEqual(['five five', 'six']);
  });

  test('and are only marks are no words', () => {
    const { taking, isSilent, log } = setUpKnown();
    taking.addFinal('.');
    taking.addInterim('…');
    isSilent(5_000);
    expect(log.filter((line) => /said|had words/.test(line))).toEqual([]);
    expect(taking.isCallersTurn).toBe(false);
  });
});

test('a "yes" to a bot that was silent is answered, though the bot begins to speak by itself', () => {
  const { taking, speaks, isSilent, texts } = setUpKnown();
  taking.wasAsked = true;
  speaks(300);
  taking.addFinal('Yes.');
  isSilent(200);
  taking.bot = 'speaking';
  isSilent(4_000);
  taking.bot = 'idle';
  isSilent(1_000);
  expect(texts()).toEqual(['Yes.']);
});

test('words too few to stop the bot do not count with others that come long after them', () => {
  const { taking, speaks, isSilent, log } = setUpKnown({ bargeIn: { minWords: 3 } });
  taking.bot = 'speaking';
  isSilent(2_000);
  speaks(300);
  taking.addFinal('stop it');
  isSilent(4_000);
  speaks(300);
  taking.addFinal('please');
  isSilent(1_000);
  expect(log.filter((line) => line.includes('barged'))).toEqual([]);
});

test('ears that take back that the caller has finished have the bot wait as its rule says', () => {
  const { taking, speaks, isSilent, said } = setUpKnown();
  speaks(1_000);
  taking.addFinal('I want to book and');
  isSilent(200);
  taking.addEndOfTurn('certain');
  isSilent(100);
  taking.addEndOfTurn('revoked');
  isSilent(3_000);
  expect(said()).toEqual(['2600 said: I want to book and']);
});

test('words of a turn long ago are new words', () => {
  const { taking, speaks, isSilent, said } = setUpKnown();
  taking.wasAsked = true;
  speaks(300);
  taking.addInterim('Yes');
  isSilent(10_000);
  speaks(300);
  taking.addFinal('Yes.'); // the final words of the first turn never came
  isSilent(2_000);
  taking.addFinal('Yes.'); // too quiet for the detector
  isSilent(4_000);
  taking.addFinal('Yes.');
  isSilent(4_000);
  expect(said().length).toBeGreaterThanOrEqual(3);
});

test('ears that are certain of the end before the detector is are believed', () => {
  const { taking, speaks, isSilent, said } = setUpKnown();
  speaks(1_000);
  taking.addFinal('So I think and');
  taking.addEndOfTurn('certain');
  isSilent(1_000);
  expect(said()).toEqual(['1800 said: So I think and']);
});

test('what is said while the caller is muted does not count', () => {
  const { taking, speaks, isSilent, log } = setUp();
  speaks(300);
  taking.isMuted = true;
  taking.addFinal('Hello?');
  speaks(1_000);
  isSilent(3_000);
  taking.isMuted = false;
  isSilent(3_000);
  expect(log).toEqual(['0 started', '300 stopped at 300']);
});

test('options that are out of range are refused, all at once', () => {
  const options = { turns: { silenceMs: 20, patience: 3 }, bargeIn: { minSpeechMs: -1, minWords: 99 } };
  expect(() => setUp(options)).toThrow(/turns\.silenceMs .*turns\.patience .*bargeIn\.minSpeechMs .*bargeIn\.minWords/);
});
