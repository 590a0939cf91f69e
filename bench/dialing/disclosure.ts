import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeMulaw, encodeMulaw, MULAW_SILENCE } from '../../src/base/audio/mulaw.js';
import type { HeardNotice } from '../../src/call/disclosure.js';
import { PhoneClient } from '../../src/sandbox/network/phone-client.js';
import type { SandboxOptions } from '../../src/sandbox/sandbox.js';
import { BenchProcess } from '../bench-process.js';
import { compiled } from '../compile.js';
import { atMost, type Figure, ms } from '../figure.js';
import type { PhoneNetwork } from '../processes/phone-network.js';
import type { DisclosingRunner } from './disclosing-runner.js';
import { isPieceOf, isSilent } from './sentence-pieces.js';
import { isTone } from './tone.js';

/** A stream of which the bot is gone is connected again at once. */
const NETWORK: Partial<SandboxOptions> = {
  phoneToken: 'bench-phone-token',
  faults: { brokenStreams: { reconnectAfterMs: 0 } },
};
/** In half the calls the bot is killed at a moment between its beginning and this, in milliseconds: the sentence takes about 3 s. */
const KILLED_WITHIN_MS = 4_000;
const CALL_LIMIT_MS = 90_000;
/** Two processes time what is heard and what is acknowledged, one of them in whole milliseconds: how far their clocks are apart at most. */
const CLOCK_MS = 2;
/** A third of the callees do not want to be called again, and say so, or press the key, so long after they have heard the first of the sentence, in milliseconds. */
const WISHES_WITHIN_MS = 2_000;
const WISHES_KEY = '9';
/** How long a callee speaks, in frames of 20 ms. */
const SPEAKS_FRAMES = 25;
const NO_BOT = ['no_bot', 'bot_timeout'];
const SPEECH = encodeMulaw(Int16Array.from({ length: 160 }, (_, n) => (n % 40 < 20 ? 8_000 : -8_000)));
const SILENCE = new Uint8Array(160).fill(MULAW_SILENCE);

type Wish = 'said' | 'pressed';

interface Callee {
  readonly number: string;
  /** The bot is killed meanwhile; in the outcome: it was. */
  readonly isKilled: boolean;
  readonly wish: Wish | undefined;
}

interface Outcome extends Callee {
  readonly disclosure: HeardNotice | undefined;
  /** Any other sound than the sentence: when it was heard first, milliseconds since the Unix epoch; undefined where none was. */
  readonly other: { readonly at: number; readonly is: 'tone' | 'speech' } | undefined;
  readonly isListed: boolean;
  readonly endReason: string | undefined;
  /** When the bot knew that the sentence was heard, in the same way. */
  readonly acknowledgedAt: number | undefined;
  readonly recorded: { readonly from: number; readonly to: number } | undefined;
}

/** Calls of which the bots are killed, with callees who wish something: what is heard before the disclosure was acknowledged, and how well record and recording agree. */
export async function* disclosure(count = 100, atOnce = 6): AsyncGenerator<Figure> {
  await using network = new BenchProcess<PhoneNetwork>('processes/phone-network', JSON.stringify(NETWORK));
  const { url, apiUrl, number } = await network.ask('address');
  const bot = compiled('bench/bots/discloser');
  await using runner = new BenchProcess<DisclosingRunner>('dialing/disclosing-runner', bot, apiUrl, number);
  const ask = inTurn(runner);
  const sentence = Buffer.from(await ask('sentence'), 'base64');
  const callees = Array.from({ length: count }, (_, index): Callee => {
    const wish = index % 3 > 0 ? undefined : index % 2 === Math.floor(index / 6) % 2 ? 'said' : 'pressed';
    return { number: `+1202555${1_000 + index}`, isKilled: index % 2 === 1, wish };
  }).values();
  const outcomes: Outcome[] = [];
  const dialInTurn = async () => {
    for (const callee of callees) outcomes.push(await call(url, ask, sentence, callee));
  };
  await Promise.all(Array.from({ length: atOnce }, dialInTurn));
  const early = outcomes.filter(
    ({ other, acknowledgedAt }) => other && other.at + CLOCK_MS < (acknowledgedAt ?? Infinity),
  );
  const told = outcomes.filter(({ disclosure }) => disclosure !== undefined);
  const killed = outcomes.filter(({ isKilled }) => isKilled).length;
  const wishes = outcomes.filter(({ wish }) => wish !== undefined);
  // A bot that dies has perhaps not heard it, and one that never came has not.
  const unmet = wishes.filter(
    ({ isListed, isKilled, endReason = '' }) => !isListed && !isKilled && !NO_BOT.includes(endReason),
  ).length;
  const offBy = told.flatMap(({ disclosure, recorded, wish }) =>
    disclosure && recorded && !wish // behind the words of others there is speech, and not the tone by which their end is seen
      ? [Math.max(Math.abs(recorded.from - disclosure.from), Math.abs(recorded.to - disclosure.to))]
      : [],
  );
  const sorted = offBy.toSorted((a, b) => a - b);
  const share = (part: number) => ms(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
  const beyond = offBy.filter((off) => off > 20).length;
  const name = (what: string) => `disclosure ${count}, ${killed} killed: ${what}`;
  const kinds = early.map(({ other }) => other?.is);
  const ours = `${early.length}${kinds.length > 0 ? ` (${kinds.join(', ')})` : ''}`;
  yield { name: name('anything else heard before'), ours, ...atMost(0, early.length, '') };
  const met = wishes.filter(({ isListed }) => isListed).length;
  yield {
    name: name('wishes that were met'),
    ours: `${met} of ${wishes.length}`,
    ...atMost(0, unmet, ' unmet, bot alive'),
  };
  yield { name: name('heard to its end and acknowledged'), ours: `${told.length}` };
  const unheard = outcomes.filter((outcome) => !outcome.disclosure && !outcome.isKilled);
  const reasons = [...new Set(unheard.map(({ endReason }) => endReason ?? 'no record'))];
  yield { name: name('not heard, bot alive'), ours: [`${unheard.length}`, ...reasons].join(', ') };
  yield { name: name('record off the recording, p50 p95'), ours: `${share(0.5)}, ${share(0.95)}` };
  yield { name: name('record off by more than 20 ms'), ours: `${beyond} of ${offBy.length}`, ...atMost(0, beyond, '') };
}

async function call(url: string, ask: Ask, sentence: Buffer, callee: Callee): Promise<Outcome> {
  const { number, wish } = callee;
  let isKilled = false;
  let other: Outcome['other'];
  let hasBegun = false;
  let frames = 0;
  const wishes = () => {
    if (wish === 'pressed') phone.press(WISHES_KEY);
    else frames = SPEAKS_FRAMES;
  };
  const phone = await PhoneClient.connect({
    url,
    token: 'bench-phone-token',
    exchange: (heard) => {
      if (!isSilent(heard)) {
        if (!isPieceOf(sentence, heard))
          other ??= { at: Date.now(), is: isTone(decodeMulaw(heard)) ? 'tone' : 'speech' };
        if (!hasBegun && wish) setTimeout(wishes, Math.random() * WISHES_WITHIN_MS);
        hasBegun = true;
      }
      frames -= 1;
      return frames >= 0 ? SPEECH : SILENCE;
    },
  });
  const answered = once(phone, 'answered');
  let isOver = false;
  const ended = once(phone, 'ended').then(() => {
    isOver = true;
  });
  await phone.attend({ number, ringMs: 200 });
  const id = await ask('dial', number);
  await Promise.race([answered, ended]);
  if (callee.isKilled) {
    await delay(Math.random() * KILLED_WITHIN_MS);
    while (!isOver && !isKilled) {
      isKilled = await ask('kill', id);
      await delay(50);
    }
  }
  await Promise.race([ended, delay(CALL_LIMIT_MS)]);
  await phone.close();
  let record = await ask('record', id);
  for (let look = 0; record?.state !== 'ended' && look < 100; look += 1) {
    await delay(100);
    record = await ask('record', id);
  }
  const disclosure = record?.disclosure;
  const recorded = disclosure && (await ask('recorded', id, disclosure.from));
  const isListed = record?.doNotCall !== undefined;
  return {
    ...callee,
    isKilled,
    disclosure,
    other,
    isListed,
    endReason: record?.endReason,
    acknowledgedAt: await ask('acknowledgedAt', id),
    recorded,
  };
}

type Ask = BenchProcess<DisclosingRunner>['ask'];

/** A process of the bench is asked one thing after the other. */
function inTurn(runner: BenchProcess<DisclosingRunner>): Ask {
  let last: Promise<unknown> = Promise.resolve();
  return (question, ...args) => {
    const next = last.then(() => runner.ask(question, ...args));
    last = next.catch(() => {});
    return next;
  };
}
