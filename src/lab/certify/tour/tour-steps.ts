import { setTimeout as delay } from 'node:timers/promises';
import type { PhoneRole } from './tour-phone.js';
import type { TourStage } from './tour-stage.js';

/** One step of a tour: mostly one call. */
export interface TourStep {
  /** As on the command line. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** Telephones that it needs. */
  readonly needs: ReadonlyArray<PhoneRole | 'wrong'>;
  /** Calls that it makes, and how long they take together about, in seconds: for what is said of time and money before. */
  readonly calls: number;
  readonly seconds: number;
  /** What there is to see of, in a few words. */
  readonly shows: string;
  play(stage: TourStage): Promise<void>;
}

const KEYS = '15#';
const BOTS_KEYS = '42#';
const HOLD_MS = 3_000;
/** Into the tone. */
const MID_WORD_MS = 1_500;

/** What goes before and after all calls, and is recorded as a step of its own. */
export const NUMBER_TAKEN = 'number';
export const NUMBER_GIVEN_BACK = 'give-back';

/** In the order in which they are played. */
export const TOUR_STEPS: readonly TourStep[] = [
  {
    name: 'call-in',
    title: 'A call that comes in, and whose caller hangs up',
    needs: ['caller'],
    calls: 1,
    seconds: 75,
    shows: 'answer webhook, media stream, keys, interruption, speech, hold, hang-up by the caller',
    async play(stage) {
      const { bot } = await stage.calledIn();
      await stage.said(bot, `Hello. Please press ${[...KEYS].join(', ').replace('#', 'hash')}.`);
      await stage.phones.press(KEYS);
      for (const key of KEYS) await stage.news('key', `the key ${key}`, ({ digit }) => digit === key);
      bot.order({ do: 'speak at length', name: 'tone' });
      await delay(MID_WORD_MS);
      await stage.phones.speak('something over the bot');
      await stage.news('caller speaks', 'your voice over the tone');
      bot.order({ do: 'interrupt' });
      await stage.news('said', 'the end of the tone', ({ name }) => name === 'tone');
      await stage.news('caller is silent', 'your silence');
      await stage.phones.speak('one word');
      await stage.news('caller is silent', 'one word, and silence behind it');
      await stage.phones.speak('a few sentences');
      await stage.news('caller is silent', 'a few sentences, and silence behind them');
      await stage.done(bot, { do: 'hold' });
      await delay(HOLD_MS);
      await stage.done(bot, { do: 'unhold' });
      await stage.done(bot, { do: 'press', keys: BOTS_KEYS });
      await stage.said(bot, 'Thank you. Please hang up now.');
      await stage.phones.hangUp('caller');
      await stage.over(bot.callId);
    },
  },
  {
    name: 'bot-hangs-up',
    title: 'A call that comes in, and whose bot hangs up',
    needs: ['caller'],
    calls: 1,
    seconds: 15,
    shows: 'hang-up by us, and the webhook that follows',
    async play(stage) {
      const { bot } = await stage.calledIn();
      await stage.said(bot, 'Hello, and goodbye.');
      bot.order({ do: 'hang up' });
      await stage.over(bot.callId);
    },
  },
  {
    name: 'bot-killed',
    title: 'A call whose bot dies in mid-word',
    needs: ['caller'],
    calls: 1,
    seconds: 25,
    shows: 'how a media stream ends that breaks off, the next document, the second stream',
    async play(stage) {
      const { bot, pid } = await stage.calledIn();
      bot.order({ do: 'speak at length', name: 'tone' });
      await delay(MID_WORD_MS);
      await stage.kill(pid);
      const second = await stage.news('serves', 'the next bot of the call', ({ attempt }) => attempt === 2);
      await stage.said(second.bot, 'Here I am again. Goodbye.');
      second.bot.order({ do: 'hang up' });
      await stage.over(bot.callId);
    },
  },
  {
    name: 'call-out',
    title: 'A call out that is answered',
    needs: ['caller'],
    calls: 1,
    seconds: 20,
    shows: 'placing a call, ringing, the answer, hang-up by the callee',
    async play(stage) {
      const callId = await stage.dialled('caller', 'answers');
      const { bot } = await stage.news('serves', 'your answer', ({ direction }) => direction === 'outbound');
      await stage.said(bot, 'Hello. Please hang up now.');
      await stage.phones.hangUp('caller');
      await stage.over(callId);
    },
  },
  {
    name: 'call-out-declined',
    title: 'A call out that is declined',
    needs: ['caller'],
    calls: 1,
    seconds: 10,
    shows: 'the words for a telephone that is busy or declines',
    async play(stage) {
      await stage.over(await stage.dialled('caller', 'declines'));
    },
  },
  {
    name: 'call-out-unanswered',
    title: 'A call out that is not answered',
    needs: ['caller'],
    calls: 1,
    seconds: 20,
    shows: 'the end of ringing',
    async play(stage) {
      await stage.over(await stage.dialled('caller', 'does not answer'));
    },
  },
  {
    name: 'call-out-wrong',
    title: 'A call out to a number that is not assigned',
    needs: ['wrong'],
    calls: 1,
    seconds: 10,
    shows: 'how a number that cannot be reached is refused',
    async play(stage) {
      const refused = (error: Error & { code?: string }) => {
        if (error.code !== 'VB_CARRIER_REQUEST_FAILED' && error.code !== 'VB_ROOMS_REQUEST_FAILED') throw error;
      };
      await stage.dialled('wrong').then((callId) => stage.over(callId), refused);
    },
  },
  {
    name: 'transfer',
    title: 'A transfer that is declined, and one that is answered',
    needs: ['caller', 'colleague'],
    calls: 3,
    seconds: 45,
    shows: 'the document of a transfer, its webhooks, the caller who is back with the bot',
    async play(stage) {
      let { bot } = await stage.calledIn();
      await stage.said(bot, 'I connect you.');
      await stage.phones.expect('colleague', 'declines');
      bot.order({ do: 'transfer', to: stage.number('colleague') });
      const { status } = await stage.news('transfer', 'the caller, who is back with the bot');
      // The room provider gives no caller back.
      if (status === 'caller_left' || status === 'disconnected') {
        await stage.over(bot.callId);
        bot = (await stage.calledIn()).bot;
      }
      await stage.said(bot, 'I try again.');
      await stage.phones.expect('colleague', 'answers');
      bot.order({ do: 'transfer', to: stage.number('colleague') });
      await stage.phones.hangUp('colleague');
      await stage.over(bot.callId);
    },
  },
  {
    name: 'warm-transfer',
    title: 'A warm transfer: the bot briefs the colleague first',
    needs: ['caller', 'colleague'],
    calls: 2,
    seconds: 40,
    shows: 'a call beside a call, hold, a key of the colleague, two streams that are joined',
    async play(stage) {
      const { bot } = await stage.calledIn();
      await stage.said(bot, 'One moment.');
      await stage.phones.expect('colleague', 'answers and presses 1');
      bot.order({
        do: 'transfer',
        to: stage.number('colleague'),
        brief: 'This is a call of the tour. Press 1 to take it.',
      });
      await stage.news('transfer', 'the colleague, who takes the call');
      await delay(HOLD_MS);
      await stage.phones.hangUp('colleague');
      await stage.over(bot.callId);
    },
  },
];

/** Those that can be left out. */
export const STEP_NAMES: readonly string[] = TOUR_STEPS.map(({ name }) => name);

/** All that are compared. */
export const COMPARED_STEPS: readonly string[] = [NUMBER_TAKEN, ...STEP_NAMES, NUMBER_GIVEN_BACK];
