import { ToneSource } from '../../src/base/audio/tones.js';
import { randomNumbers } from './random.js';
import { SAMPLE_RATE, speak } from './spoken.js';

const SECONDS = 30;
const LENGTH = SECONDS * SAMPLE_RATE;

const BABBLE =
  'Well, I was going to take the train, but then my sister called and said that the weather would turn. ' +
  'So we stayed, had another cup of coffee and talked about the house, the garden, and what to do with the old car. ' +
  'Nobody had thought of the dog, of course, and when we came back it had eaten half of the cake. ' +
  'Next year we will do it differently, or so everybody says, and then it is the same again.';
const BABBLE_VOICES = ['en-gb+f1', 'en-us+m4', 'en-gb-x-gbclan+m6', 'en-us+f3', 'en-gb+m2', 'en-gb-scotland+f2'];

/** Half a minute of each kind of noise, to be repeated; levels are of no matter. */
export async function makeNoises(): Promise<Record<string, Float64Array>> {
  return { white: white(), brown: brown(), babble: await babble(), car: car(), music: music() };
}

function white(seed = 1): Float64Array {
  const random = randomNumbers(seed);
  return Float64Array.from({ length: LENGTH }, () => random() + random() + random() - 1.5);
}

/** Falls by 6 dB per octave above 20 Hz. */
function brown(): Float64Array {
  let level = 0;
  return white(2).map((sample) => {
    level = 0.985 * level + sample;
    return level;
  });
}

/** The engine's hum with its harmonics, which wavers, and tyres below 300 Hz. */
function car(): Float64Array {
  let [first, second] = [0, 0];
  let phase = 0;
  return white(3).map((sample, n) => {
    first += 0.2 * (sample - first);
    second += 0.2 * (first - second);
    phase += (2 * Math.PI * (55 + 5 * Math.sin(n / 9_000))) / SAMPLE_RATE;
    const hum = Math.sin(phase) + 0.6 * Math.sin(2 * phase) + 0.3 * Math.sin(3 * phase) + 0.1 * Math.sin(4 * phase);
    return 0.3 * hum + 3 * second;
  });
}

const music = (): Float64Array => Float64Array.from(ToneSource.hold(SAMPLE_RATE).read(LENGTH));

/** Six people who talk at once, each at another place of the text. */
async function babble(): Promise<Float64Array> {
  const mixed = new Float64Array(LENGTH);
  for (const [i, voice] of BABBLE_VOICES.entries()) {
    const { pcm, rms } = await speak(BABBLE, voice, 150 + 8 * i);
    for (let n = 0; n < LENGTH; n += 1) {
      mixed[n] = (mixed[n] as number) + (pcm[(n + 20_011 * i) % pcm.length] as number) / rms;
    }
  }
  return mixed;
}
