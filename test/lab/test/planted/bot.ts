/** A bot with one fault of each kind that people make, planted by `FAULT`; without it the fault is mended. */
import { setTimeout as lookUp } from 'node:timers/promises';
import { openai } from '@ai-sdk/openai';
import { type Call, cartesia, deepgram, defineBot, endCall, transferTo } from 'voicebot';
import { z } from 'zod';

const GREETING = 'Hello, this is Bluebird Bakery.';
const MENU = 'Press 1 for our hours, or 2 for your order.';
const HOURS: Readonly<Record<string, string>> = { saturday: 'eight to one', sunday: 'closed' };
const ORDER = '4711';

const { FAULT, STORY } = process.env;
const has = (fault: string) => FAULT === fault;

const stories: Readonly<Record<string, (call: Call) => Promise<void>>> = {
  /** Keys, a transfer, a goodbye. */
  async menu(call) {
    if (has('late_first_word')) await lookUp(5_000); // the customer, in a slow system
    // Each `say` begins anew: keys pressed during the one before are gone.
    if (has('lost_key')) await call.say(GREETING);
    void call.say(has('lost_key') ? MENU : `${GREETING} ${MENU}`);
    const key = (await call.listen({ timeoutMs: 15_000 }))?.keys;
    call.interrupt();
    if (key === '0') {
      const { status } = await call.transfer(process.env.OPERATOR_NUMBER);
      const isLying = has('lying_transfer');
      await call.say(
        isLying || status === 'answered' ? 'You are connected now.' : 'I am sorry, nobody can take your call.',
      );
    }
    if (key === '1') await call.say('We are open from seven to six.');
    if (key === '2') {
      const spoken = has('number_read_wrongly') ? ORDER : [...ORDER].join(' ');
      await call.say(`Your order ${spoken} is ready.`);
    }
    const goodbye = call.say('Thank you for calling, and have a very nice day. Goodbye!');
    if (has('goodbye_cut_off')) {
      await lookUp(1_000); // to note the call
      call.interrupt(); // nothing is to be left in the queue
    } else await goodbye;
    await call.hangUp();
  },

  /** A conversation. */
  async talk(call) {
    const today = has('wrong_day') ? 'Saturday' : 'Friday';
    let repeats = 0;
    let last = '';
    const talk = call.converse({
      system: `You answer the telephone of Bluebird Bakery. Today is ${today}.`,
      ...(call.attempt === 1 ? { greeting: `${GREETING} How can I help you on this beautiful morning?` } : comeback()),
      ...(has('barge_in_ignored') && { bargeIn: false }),
      // The caller pauses for 2 s: the answer is heard 1.3 s after their words, and before they go on on a busy machine, too.
      turns: has('answers_too_early') ? { silenceMs: 750, unfinishedSilenceMs: 750 } : { unfinishedSilenceMs: 4_000 },
      ...(has('stops_for_listeners') && { bargeIn: { backchannels: [] } }),
      tools: {
        opening_hours: {
          description: 'Tells when the bakery is open.',
          input: z.object({ day: z.string() }),
          run: async ({ day }) => {
            if (has('slow_calendar')) await lookUp(5_000);
            const hours = `On ${day} we are ${HOURS[day.toLowerCase()] ?? 'open from seven to six'}.`;
            if (has('said_twice')) void call.say(hours); // and the model says it again
            if (has('unheard_words')) {
              // The customer gets it as a message; the model is to know.
              talk.conversation.context.append({
                role: 'assistant',
                content: 'I have sent you our price list as well.',
              });
            }
            return hours;
          },
        },
        operator: transferTo(process.env.OPERATOR_NUMBER),
        end_call: endCall({ say: 'Goodbye!' }),
      },
    });
    call.on('transcript', ({ speaker, text }) => {
      if (speaker === 'bot') return;
      repeats = text === last ? repeats + 1 : 0;
      last = text;
      if (repeats === 2 && !has('loop')) void call.say('I hang up now. Goodbye!').then(() => call.hangUp());
    });
    await talk.ended;
  },

  /** A call that goes out. */
  async reminder(call) {
    const matter = 'Bluebird Bakery calls about your order, which is ready.';
    const talk = call.converse({
      system: 'You call a customer of Bluebird Bakery.',
      greeting: `${matter} Do you have a moment?`,
      ...(!has('unanswered_voicemail') && { voicemail: `${matter} Please call us back. Goodbye!` }),
    });
    await talk.ended;
  },
};

/** What a bot says first that goes on after another one. */
const comeback = () => (has('silence_after_crash') ? {} : { greeting: 'Sorry, we were cut off. How can I help you?' });

export default defineBot({
  stt: deepgram(),
  llm: openai('gpt-4.1-mini'),
  tts: cartesia(),
  onCall: async (call) => stories[STORY ?? 'menu']?.(call as Call),
});
