import { type Call, defineBot, flite } from 'voicebot';
import {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  DtmfFrame,
  energyDetector,
  type Frame,
  type FrameDirection,
  FrameProcessor,
  InputAudioFrame,
  OutputAudioFrame,
  type VoiceDetector,
} from 'voicebot/pipeline';

const GREETING = 'Hello! This is voicebot, and you have reached the demo.';
const MENU = 'Press 1 for the time, 2 for an echo, 0 for a person, or 9 to hang up.';
const ECHO = 'I will repeat what you say. Press any key to stop.';
const NO_WORDS = 'I can hear you, but I only understand the keys of your phone.';

/** How long the demo speaks and waits for a key before it says goodbye, in milliseconds. */
const PATIENCE_MS = 25_000;
/** How often it tells a caller who presses no key that it understands no words: what it hears may be a television. */
const MOST_TOLD = 2;
/** How long the bot's echo and the tone of a key may take to come in, in milliseconds. */
const ECHO_MS = 800;

/** How long the caller is silent when a sentence is over, in milliseconds. */
const SILENT_MS = 700;
/** A shorter sound than `onsetMs` is no sentence. */
const detectSentences = energyDetector({ onsetMs: 250, hangoverMs: SILENT_MS });

/** Hears when the caller has said something, which it cannot understand; and says it back while it is to. */
class Ears extends FrameProcessor {
  isEcho = false;
  onSentence: (() => void) | undefined;
  #detector: VoiceDetector | undefined;
  #isSound = false;
  /** A sound that ends before then may be the bot's echo or the tone of a key, in monotonic milliseconds. */
  #deafUntil = Number.POSITIVE_INFINITY;

  override async process(frame: Frame, direction: FrameDirection): Promise<void> {
    if (frame instanceof InputAudioFrame) return this.#hear(frame);
    if (frame instanceof BotStartedSpeakingFrame) this.#ignore(Number.POSITIVE_INFINITY);
    if (frame instanceof BotStoppedSpeakingFrame || frame instanceof DtmfFrame) this.#ignore(ECHO_MS);
    this.push(frame, direction);
  }

  #ignore(ms: number): void {
    this.#deafUntil = performance.now() + ms;
  }

  async #hear(frame: InputAudioFrame): Promise<void> {
    const { pcm, sampleRate } = frame;
    this.push(this.isEcho ? new OutputAudioFrame(pcm, sampleRate) : frame);
    this.#detector ??= await detectSentences(sampleRate);
    const wasSound = this.#isSound;
    this.#isSound = await this.#detector.isSpeech(pcm);
    const hasEnded = wasSound && !this.#isSound;
    if (hasEnded && performance.now() - SILENT_MS > this.#deafUntil && !this.isEcho) this.onSentence?.();
  }
}

/** Says the menu and does what the keys say, until the call is over. Every key interrupts the bot. */
async function answer(call: Call, ears: Ears): Promise<void> {
  for (let text = `${GREETING} ${MENU}`; !call.isOver; ) {
    void call.say(text);
    const key = await nextKey(call, ears);
    call.interrupt();
    const wasEchoing = ears.isEcho;
    ears.isEcho = key === '2' && !wasEchoing;
    if (ears.isEcho) text = ECHO;
    else if (wasEchoing) text = MENU;
    else if (key === '1') text = `It is ${new Date().toLocaleTimeString('en-US', { timeStyle: 'short' })}. ${MENU}`;
    else if (key === '0') text = `${await connect(call)} ${MENU}`;
    else if (key === '9' || key === undefined) return leave(call);
    else text = `That key does nothing. ${MENU}`;
  }
}

/** Waits for a key. A caller who speaks is told what to do instead, and may take their time again. */
async function nextKey(call: Call, ears: Ears): Promise<string | undefined> {
  let told = 0;
  ears.onSentence = () => {
    if (told === MOST_TOLD) return;
    told += 1;
    void call.say(`${NO_WORDS} ${MENU}`);
  };
  let key: string | undefined;
  for (let waited = 0; key === undefined && waited <= told; waited += 1)
    key = (await call.listen({ timeoutMs: PATIENCE_MS }))?.keys;
  ears.onSentence = undefined;
  return key;
}

/** Connects the caller with a person. @returns what to say when that came to nothing */
async function connect(call: Call): Promise<string> {
  const { status } = await call.transfer(process.env.OPERATOR_NUMBER, {
    announce: 'One moment please, I will connect you.',
  });
  console.log(`transfer to the operator: ${status}`);
  return 'I am sorry. Nobody can take your call right now.';
}

async function leave(call: Call): Promise<void> {
  await call.say('Thank you for calling. Goodbye!');
  await call.hangUp();
}

export default defineBot({
  tts: flite(),

  async onCall(call) {
    const ears = new Ears();
    await Promise.all([call.run([ears]), answer(call, ears)]);
  },
});
