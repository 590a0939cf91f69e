/** A bank's bot: a menu, a PIN, a balance that a function looks up, a busy operator, a voicemail. `FAULT` plants a bug of the kinds people make. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as lookUp } from 'node:timers/promises';
import { openai } from '@ai-sdk/openai';
import { type Call, cartesia, deepgram, defineBot, endCall } from 'voicebot';
import { z } from 'zod';

const PINS: Readonly<Record<string, string>> = { '4711': 'Ada', '2580': 'Grace' };
const BALANCES: Readonly<Record<string, number>> = { giro: 1250, savings: 80 };
const TRIES = 3;
const { FAULT, OPERATOR_NUMBER, LOCKS } = process.env;
const has = (fault: string) => FAULT === fault;

/** Who has given too many wrong PINs. A bot's process serves one call: what outlasts a call is on the disk. */
const isLocked = (from = '') => LOCKS !== undefined && existsSync(LOCKS) && readFileSync(LOCKS, 'utf8').includes(from);
const lock = (from = '') => LOCKS && !has('forgets_the_lock') && writeFileSync(LOCKS, from);

export default defineBot({
  stt: deepgram(),
  llm: openai('gpt-4.1-mini'),
  tts: cartesia(),
  ...(!has('keys_kept') && { record: { maskDigits: true } }),

  async onCall(call) {
    if (has('keys_in_log')) call.on('dtmf', ({ digit }) => process.stdout.write(`key ${digit}\n`));
    if (has('handler_throws'))
      call.on('transcript', () => {
        throw new Error('no such customer');
      });
    if (call.direction === 'outbound') return remind(call);
    if (call.attempt > 1) return talk(call, 'Sorry, we were cut off. What can I do for you?');
    if (has('late_first_word')) await lookUp(8_000);
    if (has('unhandled_rejection')) void audit();
    if (isLocked(call.from)) return leave(call, 'Your access is locked. Please call your branch.');
    for (let asked = 0; asked < 2; asked += 1) {
      await call.say('Welcome to Harbour Bank.');
      void call.say('For your balance press 1, for a person press 0.');
      const key = (await call.listen({ keys: 1, timeoutMs: 8_000, typeAhead: !has('no_type_ahead') }))?.keys;
      if (key !== undefined) call.interrupt();
      if (key === '1') return identify(call);
      if (key === '0' && !has('key_ignored')) return operator(call);
    }
    return leave(call, 'I have not heard anything.');
  },
});

async function identify(call: Call): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    void call.say('Please enter your PIN of four digits.');
    const pin = (await call.listen({ keys: 4, timeoutMs: 8_000 }))?.keys ?? '';
    call.interrupt();
    if (has('pin_in_log')) process.stdout.write(`PIN ${pin} entered\n`);
    const name = PINS[pin] ?? (has('any_pin') ? 'Ada' : undefined);
    if (has('exits')) setTimeout(() => process.exit(0), 500);
    if (name) return talk(call, `Thank you, ${name}. What would you like to know about your accounts today?`);
    await call.say('This PIN is not right.');
  }
  lock(call.from);
  return leave(call, 'Your access is locked now.');
}

async function talk(call: Call, greeting: string): Promise<void> {
  const conversation = call.converse({
    system: 'You are the telephone of Harbour Bank. You say balances as the function gives them.',
    greeting,
    ...(has('interruptions_off') && { bargeIn: false }),
    tools: {
      balance: {
        description: 'Tells the balance of an account.',
        input: has('refuses')
          ? z.object({ iban: z.string() })
          : z.object({ account: z.enum(['giro', 'savings']), iban: z.string().optional() }),
        sayWhileRunning: 'One moment please.',
        run: ({ account = 'giro' }: { account?: string }) => {
          if (has('throws')) throw new Error('the ledger has no table accounts');
          const amount = BALANCES[account] ?? 0;
          return { amount: has('hundred_times') ? 100 * amount : amount, currency: 'euros' };
        },
      },
      end_call: endCall(has('no_goodbye') ? {} : { say: 'Thank you for calling Harbour Bank. Goodbye!' }),
    },
  });
  await conversation.ended;
}

async function operator(call: Call): Promise<void> {
  await call.say('I will connect you.');
  const { status } = await call.transfer(has('wrong_number') ? '+12025550101' : OPERATOR_NUMBER);
  if (status === 'answered') return;
  await leave(call, has('lying_transfer') ? 'You are connected.' : 'Nobody is free at the moment.');
}

async function remind(call: Call): Promise<void> {
  const matter = 'This is Harbour Bank. Your new card is ready.';
  const conversation = call.converse({
    system: 'You call a customer of Harbour Bank.',
    greeting: matter,
    ...(!has('silent_voicemail') && { voicemail: `${matter} Please call us back. Goodbye!` }),
  });
  await conversation.ended;
}

async function leave(call: Call, words: string): Promise<void> {
  await call.say(has('said_twice') ? `${words} ${words}` : words);
  if (!has('no_goodbye')) await call.say('Goodbye!');
  await call.hangUp();
  if (has('throws_after')) throw new TypeError('no ledger to close');
}

/** Nobody waits for it. */
async function audit(): Promise<void> {
  await lookUp(2_000);
  throw new Error('the audit log is lost');
}
