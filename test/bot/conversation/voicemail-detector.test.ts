import { VoicebotError } from '../../../src/base/errors.js';
import { VoicemailDetector, type VoicemailDetectorOptions } from '../../../src/bot/conversation/voicemail-detector.js';
import { sandboxVoicemail } from '../../base/audio/sandbox-voicemail.js';
import { concat, cut, sine } from '../../base/audio/signals.js';
import { silence, vowel } from '../../base/audio/voices.js';

const STRESSED = concat(vowel(260), silence(60));
const UNSTRESSED = concat(vowel(260, 8_000, 350), silence(60));

/** A line whose words are told when they have been said. */
function line(options?: VoicemailDetectorOptions) {
  const detector = new VoicemailDetector(8_000, options);
  const hear = (pcm: Int16Array) => {
    for (const piece of cut(pcm, [160])) detector.hearAudio(piece);
    return detector.state;
  };
  return {
    detector,
    hear,
    /** A sound for every word, with stress on every other one. */
    says: (text: string) => {
      hear(concat(...text.split(' ').map((_, i) => (i % 2 === 0 ? STRESSED : UNSTRESSED))));
      return detector.hearWords(text);
    },
    pauses: (ms: number) => hear(silence(ms)),
  };
}

test.each([
  "Hi, you've reached Bob, I can't come to the phone right now. Leave your name after the beep.",
  'The person you are calling is NOT available…',
  'Record your message at the tone',
  'Welcome to the voicemail of 2 0 2',
  'Risponde la segreteria telefonica di Paolo Conti',
  'Bitte hinterlassen Sie eine Nachricht nach dem Signalton.',
  'Deje su mensaje después de la señal',
  'Bonjour, vous êtes bien chez Anne. Laissez-moi un message après le bip !',
  "Votre correspondant n'est pas disponible",
])('knows a machine by %j', (text) => {
  const { detector } = line();
  expect(detector.hearWords(text)).toBe('machine');
  expect(detector.evidence).toBe('phrase');
});

test('puts a phrase together from several transcripts, and from what is only interim when some words more have come', () => {
  const one = line().detector;
  expect(one.hearWords('speak after')).toBe('unknown');
  expect(one.hearWords('the tone')).toBe('machine');
  const other = line().detector;
  expect(other.hearWords('speak after the tone', true)).toBe('unknown');
  expect(other.hearWords('speak after the tone and I', true)).toBe('unknown');
  expect(other.hearWords('speak after the tone and I will', true)).toBe('machine');
});

test('what asks for a message is a machine when nothing follows that speaks for a person', () => {
  const machine = line();
  expect(machine.says('Please leave a message.')).toBe('unknown');
  expect(machine.pauses(1_000)).toBe('machine');
  const person = line();
  expect(person.says('Leave a message')).toBe('unknown');
  expect(person.says('for whom')).toBe('unknown');
  expect(person.pauses(1_500)).toBe('human');
});

test('knows a screening assistant, whose beep is no machine', () => {
  const { detector, says, hear } = line();
  expect(says('If you record your name and reason for calling')).toBe('screener');
  expect(hear(concat(sine(1_000, 8_000, 4_000, 6_000), silence(500)))).toBe('screener');
  detector.becomeMachine();
  expect([detector.state, detector.evidence]).toEqual(['machine', 'phrase']);
});

test('words are whole: a part of one is no phrase', () => {
  expect(line().detector.hearWords('the voicemailing list, and chattering at the tonette')).toBe('unknown');
});

test('knows the phrases it is given', () => {
  expect(line().detector.hearWords('Zostaw wiadomość.')).toBe('unknown');
  expect(line({ phrases: ['zostaw WIADOMOŚĆ'] }).detector.hearWords('Zostaw wiadomość.')).toBe('machine');
});

test.each(['Jane Smith speaking', "Hello, it's me, who is there please"])('knows a human by %j and quiet', (text) => {
  const { detector, says, pauses } = line();
  expect(says(text)).toBe('unknown');
  expect(pauses(1_000)).toBe('unknown');
  expect(pauses(600)).toBe('human');
  expect(detector.evidence).toBeUndefined();
});

test('waits longer after one or two words, with which machines begin, too', () => {
  const machine = line();
  machine.says('Hello?');
  expect(machine.pauses(1_500)).toBe('unknown');
  expect(machine.says('Leave a message after the beep')).toBe('machine');
  const person = line();
  person.says('Hello?');
  expect(person.pauses(3_300)).toBe('human');
});

test('a beep is no machine after a person has answered and waited', () => {
  const { hear, says, pauses } = line();
  says('Hello?');
  pauses(1_600);
  expect(hear(concat(sine(1_000, 8_000, 4_000, 6_000), silence(500)))).toBe('unknown');
});

test('waits longer after a long answer, for machines pause too', () => {
  const { says, pauses } = line();
  says('Hello this is Robert Jones of Jones and Sons');
  expect(pauses(1_600)).toBe('unknown');
  expect(pauses(1_200)).toBe('human');
});

test('quiet without words is not yet a human: the words may be late', () => {
  const { detector, hear, pauses } = line();
  hear(vowel(400));
  expect(pauses(2_000)).toBe('unknown');
  expect(detector.hearWords('Speak after the tone')).toBe('machine');
});

test('knows a machine by ten seconds of words without a pause', () => {
  const sentence = 'good day and welcome to the house of the many words that we say every day of the week';
  const text = `${sentence} and of the month and of the year and of all the years that come and go`;
  const { detector, says, pauses } = line();
  expect(says(text)).toBe('unknown');
  expect(pauses(20)).toBe('machine');
  expect(detector.evidence).toBe('long_greeting');
  const patient = line({ longGreetingMs: Number.POSITIVE_INFINITY });
  patient.says(text);
  expect(patient.pauses(20)).toBe('unknown');
});

test('the quiet after a long sentence is no part of it', () => {
  const { detector, says, pauses } = line({ longGreetingMs: 8_000 });
  says('good day and welcome to the house of the many words that we say every day');
  expect(pauses(980)).toBe('unknown');
  expect(detector.evidence).toBeUndefined();
  expect(pauses(2_000)).toBe('human');
});

test('noise without words is no long greeting', () => {
  expect(line().hear(concat(...new Array<Int16Array[]>(12).fill([STRESSED, UNSTRESSED]).flat()))).toBe('unknown');
});

test('a beep makes a machine of whoever has not been found out', () => {
  const { detector, hear } = line();
  hear(concat(vowel(600), silence(300), sine(1_000, 8_000, 4_000, 6_000)));
  expect(detector.state).toBe('unknown');
  expect(hear(silence(300))).toBe('beep');
  expect(detector.evidence).toBe('beep');
});

test('goes from machine to beep, and tells how long it has been quiet', () => {
  const { detector, hear, says, pauses } = line();
  says('Please leave a message after the tone');
  pauses(500);
  expect(detector.silenceMs).toBeGreaterThan(200);
  expect(hear(sine(1_000, 8_000, 4_000, 6_000))).toBe('machine');
  expect(detector.silenceMs).toBe(0);
  expect(pauses(300)).toBe('beep');
  expect(detector.evidence).toBe('phrase');
});

test('a human stays one, whatever is said and heard later', () => {
  const { detector, hear, says, pauses } = line();
  says('Hello?');
  pauses(3_300);
  expect(detector.hearWords('Did you leave a message on my voicemail?')).toBe('human');
  expect(hear(concat(sine(1_000, 8_000, 4_000, 6_000), silence(500)))).toBe('human');
});

test('takes for a human who has not been found out in time', () => {
  const talker = line({ longGreetingMs: Number.POSITIVE_INFINITY });
  talker.says('well');
  talker.says(new Array(22).fill('and').join(' '));
  expect(talker.detector.state).toBe('unknown');
  talker.says('so on and on');
  expect(talker.detector.state).toBe('human');
  const nobody = line();
  expect(nobody.pauses(19_900)).toBe('unknown');
  expect(nobody.pauses(200)).toBe('human');
});

test("knows the sandbox's voicemail by its beep alone", async () => {
  const { detector, hear } = line();
  for await (const piece of sandboxVoicemail()) {
    if (hear(piece) === 'beep') break;
  }
  expect(detector.state).toBe('beep');
  expect(detector.evidence).toBe('beep');
});

test('refuses options out of their range, all together', () => {
  expect(
    () => new VoicemailDetector(8_000, { phrases: ['…'], humanSilenceMs: 10, decideWithinMs: 5, giveUpAfterMs: NaN }),
  ).toThrow(
    new VoicebotError(
      'VB_CONFIG_INVALID',
      'humanSilenceMs must be 300 to 5000, got 10; decideWithinMs must be 1000 to 60000, got 5; ' +
        'giveUpAfterMs must be 1000 to 300000, got NaN; phrases must have words',
    ),
  );
  const never = Number.POSITIVE_INFINITY;
  expect(() => new VoicemailDetector(8_000, { decideWithinMs: never, giveUpAfterMs: never })).toThrow(
    /decideWithinMs .*got Infinity; giveUpAfterMs .*got Infinity/,
  );
});
