import type { TurnTakingOptions } from '../../../src/bot/conversation/turn-options.js';
import { TurnTaking } from '../../../src/bot/conversation/turn-taking.js';

/** A caller whose voice and words a test scripts; the log has what was decided, with its time in milliseconds. */
function setUp(options: TurnTakingOptions = {}) {
  jest.useFakeTimers();
  const startedAt = performance.now();
  const log: string[] = [];
  const note = (what: string) => log.push(`${Math.round(performance.now() - startedAt)} ${what}`);
  const taking = new TurnTaking(options, {
    callerStarted: () => note('started'),
    callerStopped: () => note('stopped'),
    mayHaveFinished: (text) => note(`perhaps: ${text}`),
    overtaken: () => note('overtaken'),
    held: () => note('held'),
    wentOn: () => note('went on'),
    mutated: () => {},
    bargedIn: (hadNotFinished) => note(hadNotFinished ? 'barged in, had not finished' : 'barged in'),
    turnEnded: (text) => note(`said: ${text}`),
    nothingSaid: (hasBargedIn, hadWords) =>
      note(`nothing${hasBargedIn ? ', barged in' : ''}${hadWords ? ', had words' : ''}`),
  });
  const voice = (isSpeech: boolean, ms: number) => {
    for (let at = 0; at < ms; at += 20) {
      taking.hear(isSpeech, 20, 0);
      jest.advanceTimersByTime(20);
    }
  };
  return {
    taking,
    log,
    speaks: (ms: number) => voice(true, ms),
    isSilent: (ms: number) => voice(false, ms),
    said: () => log.filter((line) => line.includes('said:')),
  };
}

afterEach(() => {
  jest.useRealTimers();
});

test('a finished sentence ends the turn after the short silence', () => {
  const { taking, speaks, isSilent, log } = setUp();
  speaks(1_000);
  taking.addFinal('What time is it?');
  isSilent(600);
  expect(log).toEqual(['0 started', '1000 stopped', '1500 said: What time is it?']);
});

test.each(['I would like to', 'I want a pizza and', 'My name is, um...', 'It was blue, so.'])(
  'a sentence that goes on waits longer: %s',
  (text) => {
    const { taking, speaks, isSilent, said } = setUp();
    speaks(1_000);
    taking.addFinal(text);
    isSilent(1_180);
    expect(said()).toEqual([]);
    isSilent(60);
    expect(said()).toEqual([`2200 said: ${text}`]);
  },
);

test('a caller who goes on in the pause says it all in one turn', () => {
  const { taking, speaks, isSilent, said } = setUp();
  speaks(600);
  taking.addFinal('I would like');
  isSilent(800);
  speaks(600);
  taking.addFinal('a large pizza.');
  isSilent(600);
  expect(said()).toEqual(['2500 said: I would like a large pizza.']);
});

test('waits for the final words after the silence, and takes those that may change when none come', () => {
  const { taking, speaks, isSilent, said } = setUp();
  speaks(500);
  taking.addInterim('Hello there');
  isSilent(1_000);
  taking.addFinal('Hello, there.');
  isSilent(40);
  expect(said()).toEqual(['1500 said: Hello, there.']);
  speaks(500);
  taking.addInterim('Anybody home');
  isSilent(2_040);
  expect(said().at(-1)).toBe('4040 said: Anybody home');
});

test('final words that come after their turn was ended without them are not said twice', () => {
  const { taking, speaks, isSilent, said } = setUp();
  speaks(500);
  taking.addInterim('Hello');
  isSilent(2_040);
  taking.addInterim('Hello there');
  taking.addFinal('Hello there.');
  isSilent(3_000);
  expect(said()).toEqual(['2500 said: Hello']);
});

test('a noise without words is no turn', () => {
  const { speaks, isSilent, log } = setUp();
  speaks(300);
  isSilent(3_000);
  expect(log).toEqual(['0 started', '300 stopped', '2300 nothing']);
});

test('words that no detector heard are a turn all the same', () => {
  const { taking, isSilent, said } = setUp();
  taking.addFinal('Hello?');
  isSilent(600);
  expect(said()).toEqual(['500 said: Hello?']);
});

test('a detector that hears a voice in noise does not keep the turn open', () => {
  const { taking, speaks, said, log } = setUp();
  speaks(500);
  taking.addFinal('Is anybody there?');
  speaks(2_600);
  expect(said()).toEqual(['3000 said: Is anybody there?']);
  taking.bot = 'speaking';
  speaks(2_000); // the noise goes on
  expect(log.some((line) => line.includes('barged in'))).toBe(false);
});

describe('while the bot speaks', () => {
  test('speech interrupts it after the minimum', () => {
    const { taking, speaks, log } = setUp();
    taking.bot = 'speaking';
    speaks(380);
    expect(log).toEqual(['0 started']);
    speaks(200);
    expect(log).toEqual(['0 started', '380 barged in']);
  });

  test('coughs do not, however many', () => {
    const { taking, speaks, isSilent, log } = setUp();
    taking.bot = 'speaking';
    for (let cough = 0; cough < 5; cough += 1) {
      speaks(300);
      isSilent(400);
    }
    expect(log.some((line) => line.includes('barged in'))).toBe(false);
  });

  test('short words in a row do, once they are understood', () => {
    const { taking, speaks, isSilent, log } = setUp();
    taking.bot = 'speaking';
    speaks(240);
    isSilent(260);
    speaks(240);
    taking.addInterim('no no');
    expect(log.at(-1)).toContain('barged in');
  });

  test('what interrupted is the turn that follows', () => {
    const { taking, speaks, isSilent, said } = setUp();
    taking.bot = 'speaking';
    speaks(500);
    taking.addInterim('Stop');
    taking.bot = 'idle';
    speaks(200);
    taking.addFinal('Stop it.');
    isSilent(600);
    expect(said()).toEqual(['1200 said: Stop it.']);
  });

  test('an interruption without words is told', () => {
    const { taking, speaks, isSilent, log } = setUp();
    taking.bot = 'speaking';
    speaks(500);
    taking.bot = 'idle';
    isSilent(2_100);
    expect(log.at(-1)).toBe('2500 nothing, barged in');
  });

  test('a wanted number of words must be understood first', () => {
    const { taking, speaks, log } = setUp({ bargeIn: { minWords: 2 } });
    taking.bot = 'speaking';
    speaks(800);
    taking.addInterim('wait');
    expect(log).toEqual(['0 started']);
    taking.addInterim('wait please');
    expect(log).toEqual(['0 started', '800 barged in']);
  });

  test('backchannels do not stop it and are no turn', () => {
    const { taking, speaks, isSilent, log } = setUp({ bargeIn: { backchannels: ['uh-huh', 'yeah'] } });
    taking.bot = 'speaking';
    speaks(600);
    taking.addFinal('Uh-huh.');
    isSilent(100);
    taking.bot = 'idle';
    isSilent(3_000);
    expect(log).toEqual(['0 started', '600 stopped']);
  });

  test('a short answer just before its end counts when it has finished', () => {
    const { taking, speaks, isSilent, said } = setUp();
    taking.bot = 'speaking';
    speaks(200);
    taking.addFinal('Yes.');
    isSilent(1_000);
    expect(said()).toEqual([]);
    taking.bot = 'idle';
    isSilent(20);
    expect(said()).toEqual(['1200 said: Yes.']);
  });

  test('a short word long before its end does not', () => {
    const { taking, speaks, isSilent, said } = setUp();
    taking.bot = 'speaking';
    speaks(200);
    taking.addFinal('Mm.');
    isSilent(5_000);
    taking.bot = 'idle';
    isSilent(3_000);
    expect(said()).toEqual([]);
  });

  test('a bot that is not to be interrupted is not, and the words count afterwards', () => {
    const { taking, speaks, isSilent, log } = setUp({ bargeIn: false });
    taking.bot = 'speaking';
    speaks(2_000);
    taking.addFinal('I have a question.');
    isSilent(5_000);
    taking.bot = 'idle';
    isSilent(20);
    expect(log).toEqual(['0 started', '2000 stopped', '7000 said: I have a question.']);
  });

  test('words that come while it only thinks take the floor at once', () => {
    const { taking, speaks, log } = setUp();
    taking.bot = 'thinking';
    speaks(100);
    taking.addInterim('and');
    expect(log).toEqual(['0 started', '100 barged in']);
  });
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
  expect(log).toEqual(['0 started', '300 stopped']);
});

test('options that are out of range are refused, all at once', () => {
  const options = { turns: { silenceMs: 20 }, bargeIn: { minSpeechMs: -1, minWords: 99 } };
  expect(() => setUp(options)).toThrow(/turns\.silenceMs .*bargeIn\.minSpeechMs .*bargeIn\.minWords/);
});
