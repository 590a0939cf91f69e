/** What a configuration makes of calls, as far as guesses depend on it. */
export interface GuessedUse {
  /** As in the registry: `plivo`, `daily`. */
  readonly provider: string;
  readonly transport: 'carrier' | 'rooms';
  /** Bots connect callers with a colleague. */
  readonly transfers: boolean;
  /** Bots join rooms through the provider's client, in a browser. */
  readonly joinsByBrowser: boolean;
  /** The room provider transcribes what is said. */
  readonly transcribes: boolean;
}

/** What the code takes for true of a provider although no source says so. */
export interface Guess {
  /** As in the mark on its page: `[G: stream-pings]`. */
  readonly name: string;
  /** Where that mark is. */
  readonly section: string;
  readonly assumes: string;
  /** What goes wrong when it is false. */
  readonly otherwise: string;
  readonly matters: (use: GuessedUse) => boolean;
  /** Steps of `voicebot certify` that settle it, all of them together; none: it shows in no tour. */
  readonly settledBy: readonly string[];
}

const onCarriers = ({ transport }: GuessedUse): boolean => transport === 'carrier';
const at =
  (name: string) =>
  ({ provider }: GuessedUse): boolean =>
    provider === name;
const onPlivo = at('plivo');
const onDaily = at('daily');

/** All of them, by page and section. */
export const GUESSES: readonly Guess[] = [
  {
    name: 'stream-without-compression',
    section: 'carrier reference 5.1',
    assumes: 'The carrier connects a media stream to a server that takes no compression.',
    otherwise: 'No stream opens, and callers hear nothing.',
    matters: onCarriers,
    settledBy: ['call-in'],
  },
  {
    name: 'stream-pings',
    section: 'carrier reference 5.5',
    assumes: 'The carrier bears a ping on a media stream every 20 seconds.',
    otherwise: 'Streams would close in mid-call.',
    matters: onCarriers,
    settledBy: ['call-in'],
  },
  {
    name: 'stream-pongs',
    section: 'carrier reference 5.5',
    assumes: 'A carrier that sends no audio for two seconds answers a ping within four.',
    otherwise: 'A caller who is on hold without audio would count as gone, and the call would end.',
    matters: onCarriers,
    settledBy: [],
  },
  {
    name: 'playback-lead',
    section: 'carrier reference 5.5',
    assumes: 'Audio that is sent 100 to 200 milliseconds ahead is played without gaps.',
    otherwise: 'Callers hear a choppy voice.',
    matters: onCarriers,
    settledBy: [],
  },
  {
    name: 'telnyx-call-names',
    section: 'carrier reference 7.2',
    assumes: 'Where the two names of a call differ, the REST API of TeXML takes the one of the webhooks.',
    otherwise: 'The bot can neither hang up nor transfer.',
    matters: at('telnyx'),
    settledBy: ['bot-hangs-up'],
  },
  {
    name: 'plivo-signed-form',
    section: 'carrier reference 9',
    assumes: 'Webhooks by POST are signed as the packages of the vendor verify them, not as its documentation says.',
    otherwise: 'Every webhook is refused, and no call reaches a bot.',
    matters: onPlivo,
    settledBy: ['call-in'],
  },
  {
    name: 'plivo-sample-rate',
    section: 'carrier reference 9',
    assumes: 'The rate of played audio is a number, as the reference has it, and no text.',
    otherwise: 'The carrier drops what the bot says.',
    matters: onPlivo,
    settledBy: ['call-in'],
  },
  {
    name: 'plivo-webhook-parameters',
    section: 'carrier reference 10',
    assumes: 'Webhooks about ringing and hang-up have the parameters that several sources name, each a part.',
    otherwise: 'The end of a call is told wrongly, such as a busy line as a failure.',
    matters: onPlivo,
    settledBy: ['call-out', 'call-out-declined', 'call-out-unanswered'],
  },
  {
    name: 'plivo-stream-again',
    section: 'carrier reference 10',
    assumes: 'A stream that is connected again begins with a start message.',
    otherwise: 'The bot that takes over from a dead one is never given its call.',
    matters: onPlivo,
    settledBy: [],
  },
  {
    name: 'plivo-start-in-time',
    section: 'carrier reference 10',
    assumes: 'The carrier connects the stream within 30 seconds of the document that names it.',
    otherwise: 'The stream is refused, and the call ends without a bot.',
    matters: onPlivo,
    settledBy: ['call-in'],
  },
  {
    name: 'daily-domain-stays',
    section: 'rooms reference 3',
    assumes: 'A change of the domain leaves those of its properties that it does not name.',
    otherwise: 'To take a number of a legacy entry would reset other settings of the account.',
    matters: onDaily,
    settledBy: [],
  },
  {
    name: 'daily-sip-uri-left-out',
    section: 'rooms reference 3.1',
    assumes: 'A legacy dial-in entry that is written back without its SIP address keeps that address.',
    otherwise: 'Callers by SIP no longer reach the entries of others.',
    matters: onDaily,
    settledBy: [],
  },
  {
    name: 'daily-forward-not-yet',
    section: 'rooms reference 4.5',
    assumes: 'A caller who cannot be forwarded with 404 may just not be known yet, so it is tried again for a while.',
    otherwise: 'A bot waits some seconds for a caller who has gone.',
    matters: onDaily,
    settledBy: [],
  },
  {
    name: 'daily-presence',
    section: 'rooms reference 6.2',
    assumes: 'Who is in a room is told soon enough to see whether an old room is still in use.',
    otherwise: 'A room could be deleted in which a call has just begun.',
    matters: onDaily,
    settledBy: [],
  },
  {
    name: 'daily-permissions-in-time',
    section: 'rooms reference 7.1',
    assumes: 'Once it is shown whom a telephone may hear, it hears nothing else any more.',
    otherwise: 'A caller hears the first words of what the bot tells the colleague.',
    matters: (use) => onDaily(use) && use.transfers,
    settledBy: [],
  },
  {
    name: 'daily-key-session',
    section: 'rooms reference 7.1',
    assumes: 'A key says which telephone of the room has pressed it.',
    otherwise: 'The key by which a colleague takes a call is not told from one of the caller.',
    matters: (use) => onDaily(use) && use.transfers,
    settledBy: ['warm-transfer'],
  },
  {
    name: 'daily-transcription-refusal',
    section: 'rooms reference 8.3',
    assumes: 'An account or a bot that may not transcribe is told so by an event.',
    otherwise: 'A bot with these ears waits for its limit before it says that it is deaf.',
    matters: (use) => onDaily(use) && use.transcribes,
    settledBy: [],
  },
  {
    name: 'daily-transcription-instances',
    section: 'rooms reference 8.3',
    assumes: 'Several transcriptions may run in one session, each with a name of its own.',
    otherwise: 'A bot whose room is transcribed already gets no words.',
    matters: (use) => onDaily(use) && use.transcribes,
    settledBy: [],
  },
  {
    name: 'daily-browser-sound',
    section: 'rooms reference 11',
    assumes:
      'A hidden browser plays the sound of a room where autoplay is allowed and an audio element plays the track.',
    otherwise: 'The bot hears nothing of the caller.',
    matters: (use) => onDaily(use) && use.joinsByBrowser,
    settledBy: ['call-in'],
  },
  {
    name: 'daily-dialout-words',
    section: 'rooms reference 16',
    assumes: 'The words about a call that failed have busy, no answer or rejected in them, in English.',
    otherwise: 'A busy line and a declined call are told as failures.',
    matters: onDaily,
    settledBy: ['call-out-declined', 'call-out-unanswered'],
  },
  {
    name: 'daily-ringing-leg',
    section: 'rooms reference 16',
    assumes: 'A telephone that comes into the room well after it began to ring has answered.',
    otherwise: 'The bot speaks to a telephone that rings.',
    matters: onDaily,
    settledBy: ['call-out'],
  },
];

/** Those that calls of this kind rest on, in their order. */
export const guessesOf = (use: GuessedUse): Guess[] => GUESSES.filter(({ matters }) => matters(use));
