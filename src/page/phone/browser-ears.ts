/**
 * What the page uses of a browser's speech recognition.
 * @see https://webaudio.github.io/web-speech-api/
 */
interface Recognition extends EventTarget {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  /** On this machine only; where a browser knows it. */
  processLocally?: boolean;
  /** A browser that does not know tracks opens the microphone itself. */
  start(track?: MediaStreamTrack): void;
  abort(): void;
}

interface RecognitionResultEvent extends Event {
  readonly resultIndex: number;
  readonly results: ArrayLike<ArrayLike<{ readonly transcript: string }> & { readonly isFinal: boolean }>;
}

interface RecognitionClass {
  new (): Recognition;
  /** Missing in browsers that cannot say. */
  available?(options: { readonly langs: readonly string[]; readonly processLocally: boolean }): Promise<string>;
}

export type BrowserEarsView =
  /** The browser has no speech recognition, or it is not known yet. */
  | { readonly state: 'absent' | 'opening' }
  /** It may send what it hears to others: the person is asked first. */
  | { readonly state: 'asks' }
  /** `isLocal`: on this machine. */
  | { readonly state: 'listening'; readonly isLocal: boolean }
  | { readonly state: 'failed'; readonly why: string };

export interface BrowserEarsOptions {
  /** Language code, such as `en-US`. */
  readonly language: string;
  /** Of the microphone, without the echo of the bot. */
  track(): MediaStreamTrack | undefined;
  /** What the person seems to be saying; empty when it seems to have been nothing. */
  interim(text: string): void;
  /** Words that will not change any more. */
  heard(text: string): void;
}

/** What the browser's errors mean, for people; those that are not here pass. */
const FAILURES: Readonly<Record<string, string>> = {
  'not-allowed': 'it is not allowed to listen',
  'service-not-allowed': 'it is not allowed on this page',
  network: 'the service that it needs cannot be reached',
  'audio-capture': 'it gets no sound',
  'language-not-supported': "it does not know the bot's language",
  'bad-grammar': 'it does not work',
};
/** One that ends sooner than this, in milliseconds, and so many times in a row without any word, does not work. */
const BRIEF_MS = 1_000;
const MAX_BRIEF = 5;
/** Before it is started again, in milliseconds. */
const AGAIN_MS = 250;

/** The person has agreed that the browser may send their voice away: for as long as the page is there. */
let hasAgreed = false;

/** Understands what the microphone hears with the browser's own speech recognition. Tells by `change` that its view is another. */
export class BrowserEars extends EventTarget {
  #view: BrowserEarsView = { state: 'opening' };
  #recognition: Recognition | undefined;
  #isLocal = false;
  #isPaused = false;
  #isClosed = false;
  #startedAt = 0;
  #brief = 0;
  #timer = 0;

  constructor(private readonly options: BrowserEarsOptions) {
    super();
  }

  get view(): BrowserEarsView {
    return this.#view;
  }

  /** Looks for what there is, and listens where that sends nothing away, or the person has agreed. */
  async open(): Promise<void> {
    const Class = recognitionClass();
    if (!Class) return this.#show({ state: 'absent' });
    const wishes = { langs: [this.options.language], processLocally: true };
    this.#isLocal = (await Class.available?.(wishes).catch(() => '')) === 'available';
    if (this.#isClosed) return;
    if (this.#isLocal || hasAgreed) this.#listen();
    else this.#show({ state: 'asks' });
  }

  /** The person agrees that the browser listens. */
  agree(): void {
    hasAgreed = true;
    if (this.#view.state === 'asks') this.#listen();
  }

  /** The person wants it no longer. */
  refuse(): void {
    hasAgreed = false;
    this.#stop();
    this.#show({ state: 'asks' });
  }

  /** While the microphone is muted, nothing is understood. */
  mute(isMuted: boolean): void {
    if (isMuted === this.#isPaused) return;
    this.#isPaused = isMuted;
    if (isMuted) this.#stop();
    else if (this.#view.state === 'listening') this.#start();
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  #listen(): void {
    this.#show({ state: 'listening', isLocal: this.#isLocal });
    if (!this.#isPaused) this.#start();
  }

  #start(): void {
    const Class = recognitionClass();
    if (!Class || this.#isClosed || this.#isPaused || this.#view.state !== 'listening') return;
    const recognition = new Class();
    this.#recognition = recognition;
    recognition.lang = this.options.language;
    recognition.continuous = true;
    recognition.interimResults = true;
    if (this.#isLocal) recognition.processLocally = true;
    // one that was stopped may still tell of what it had heard
    const listen = (type: string, tell: (event: Event) => void) =>
      recognition.addEventListener(type, (event) => this.#recognition === recognition && tell(event));
    listen('result', (event) => this.#understood(event as RecognitionResultEvent));
    listen('error', (event) => this.#failed((event as Event & { readonly error: string }).error));
    listen('end', () => this.#ended());
    this.#startedAt = performance.now();
    try {
      recognition.start(this.options.track());
    } catch (error) {
      this.#fail((error as Error).message);
    }
  }

  #understood({ resultIndex, results }: RecognitionResultEvent): void {
    this.#brief = 0;
    const fresh = Array.from(results).slice(resultIndex);
    const textOf = (isFinal: boolean) =>
      fresh
        .filter((result) => result.isFinal === isFinal)
        .map((result) => result[0]?.transcript ?? '')
        .join(' ')
        .replace(/\s+/g, ' ')
        .trim();
    const final = textOf(true);
    if (final) this.options.heard(final);
    this.options.interim(textOf(false));
  }

  #failed(error: string): void {
    const why = FAILURES[error];
    if (why) this.#fail(why);
  }

  /** Browsers end it after some silence, or after a minute. */
  #ended(): void {
    if (this.#view.state !== 'listening') return;
    this.#recognition = undefined;
    this.options.interim('');
    this.#brief = performance.now() - this.#startedAt < BRIEF_MS ? this.#brief + 1 : 0;
    if (this.#brief >= MAX_BRIEF) this.#fail('it ends again and again');
    else this.#timer = window.setTimeout(() => this.#start(), AGAIN_MS);
  }

  #fail(why: string): void {
    this.#stop();
    this.#show({ state: 'failed', why });
  }

  #stop(): void {
    clearTimeout(this.#timer);
    const recognition = this.#recognition;
    this.#recognition = undefined;
    this.options.interim('');
    try {
      recognition?.abort();
    } catch {
      // it has not begun
    }
  }

  #show(view: BrowserEarsView): void {
    this.#view = view;
    this.dispatchEvent(new Event('change'));
  }
}

function recognitionClass(): RecognitionClass | undefined {
  const { SpeechRecognition, webkitSpeechRecognition } = window as unknown as Record<
    string,
    RecognitionClass | undefined
  >;
  return SpeechRecognition ?? webkitSpeechRecognition;
}
