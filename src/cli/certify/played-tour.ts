import type { Account } from '../../assembly/account.js';
import { MAX_OTHER_PORTS } from '../../assembly/create-runner.js';
import { VoicebotError } from '../../base/errors.js';
import type { Config } from '../../config/config.js';
import type { StepResult } from '../../lab/certify/certificate.js';
import type { CertifyFolder } from '../../lab/certify/certify-folder.js';
import { differencesIn, type WireReference, wordsOf } from '../../lab/certify/reference.js';
import { Desk } from '../../lab/certify/tour/desk.js';
import { DESK_VARIABLE } from '../../lab/certify/tour/desk-messages.js';
import { playTour, whyOf } from '../../lab/certify/tour/play-tour.js';
import type { TourPhones } from '../../lab/certify/tour/tour-phone.js';
import { NUMBER_GIVEN_BACK, NUMBER_TAKEN, type TourStep } from '../../lab/certify/tour/tour-steps.js';
import { carrierWire, roomsWire } from '../../lab/certify/wire/provider-wire.js';
import { Redactor } from '../../lab/certify/wire/redactor.js';
import { type SeenRequest, type SeenStream, WireFront, type WireWitness } from '../../lab/certify/wire/wire-front.js';
import type { WireItem } from '../../lab/certify/wire/wire-item.js';
import { WireRecorder } from '../../lab/certify/wire/wire-recorder.js';
import { followCall } from '../../runners/follow-call.js';
import { RunnerClient } from '../../runners/runner-client.js';
import type { CliContext } from '../../terminal/context.js';
import { Hotkeys } from '../../terminal/hotkeys.js';
import type { Output } from '../../terminal/output.js';
import { runBot } from '../run/run-bot.js';
import type { TourNumbers } from './certify-account.js';
import type { TourReport } from './tour-report.js';

/** What a tour is played with. */
export interface TourSetup {
  readonly config: Config;
  readonly account: Account;
  readonly provider: string;
  readonly reference: WireReference;
  readonly numbers: TourNumbers;
  readonly phones: TourPhones;
  /** As of {@link TourWishes}. */
  readonly keepsWords: boolean;
  readonly steps: readonly TourStep[];
  readonly folder: CertifyFolder;
  readonly report: TourReport;
  readonly isTaking: boolean;
  readonly isVerbose: boolean;
  /** Programs use the telephones. */
  readonly isSandbox: boolean;
}

/** A tour: its runner serves the number while the steps are played, behind what stands in front of it and sees the wire. */
export class PlayedTour implements AsyncDisposable {
  readonly #items: WireItem[] = [];
  /** Aborted when the run has ended, by Ctrl+C too: what a step waits for does not come any more. */
  readonly #over = new AbortController();
  #recorder: WireRecorder | undefined;

  /** @throws VoicebotError VB_PORT_IN_USE */
  static async open({ host, port, isPortNamed, publicUrl }: Config): Promise<PlayedTour> {
    let tour: PlayedTour | undefined;
    const witness: WireWitness = {
      requested: (seen: SeenRequest) => tour?.recorder?.requested(seen),
      opened: (upgrade): SeenStream => tour?.recorder?.opened(upgrade) ?? UNSEEN,
    };
    const front = await WireFront.open(
      { host, port, otherPorts: isPortNamed || publicUrl ? 0 : MAX_OTHER_PORTS },
      witness,
    );
    tour = new PlayedTour(front);
    return tour;
  }

  private constructor(readonly front: WireFront) {}

  get recorder(): WireRecorder | undefined {
    return this.#recorder;
  }

  /** Plays the steps. What of them is done is in the folder, also when it throws. @throws StoppedBySignal, VoicebotError */
  async play(setup: TourSetup, context: CliContext, output: Output): Promise<void> {
    const { config, account, folder, reference } = setup;
    const redactor = redactorOf(setup);
    const { apiUrl } = account.credentials;
    const wire =
      account.kind === 'carrier' ? carrierWire(account.carrier, apiUrl) : roomsWire(account.roomProvider, apiUrl);
    const recorder = new WireRecorder(wire, redactor, (item) => void this.#items.push(item));
    this.#recorder = recorder;
    const desk = await Desk.open((seen) => {
      if (seen.wire === 'rest') recorder.exchanged(seen.exchange);
      else recorder.told(seen.name, seen.data);
    });
    recorder.begin(NUMBER_TAKEN);
    const keep = (result: StepResult, items: readonly WireItem[] = [...this.#items]) => {
      folder.add(result, items);
      setup.report.ended(result, differencesIn(result, items, reference));
    };
    let isTaken = false;
    try {
      await runBot({
        config: { ...config, environment: { ...config.environment, [DESK_VARIABLE]: desk.url } },
        transport: config.transport,
        sandbox: false,
        isDialin: true,
        isTaking: setup.isTaking,
        isYes: true,
        accountOptions: [],
        insecureWebhooks: false,
        standIns: false,
        isVerbose: setup.isVerbose,
        context: { ...context, keyboard: undefined },
        output: output.withoutLastLine(),
        front: this.front,
        task: async (url, token) => {
          isTaken = true;
          keep({ name: NUMBER_TAKEN, state: 'done' });
          await this.#playSteps(
            setup,
            { recorder, desk, runner: new RunnerClient(url, token), redactor, keep },
            context,
            output,
          );
          this.#items.length = 0;
          recorder.begin(NUMBER_GIVEN_BACK);
        },
      });
      keep({ name: NUMBER_GIVEN_BACK, state: 'done' });
    } catch (error) {
      // The provider has not kept what it was told about the number.
      const isOfProvider = error instanceof VoicebotError && error.code === 'VB_REGISTRATION_FAILED';
      if (isOfProvider && !isTaken) keep({ name: NUMBER_TAKEN, state: 'failed', why: whyOf(error) });
      throw error;
    } finally {
      this.#over.abort(new Error('the run of the tour has ended'));
      recorder.close();
      await desk[Symbol.asyncDispose]();
    }
  }

  async #playSteps(
    setup: TourSetup,
    { recorder, desk, runner, redactor, keep }: TourLine,
    context: CliContext,
    output: Output,
  ): Promise<void> {
    const { numbers, phones, steps, report, isSandbox } = setup;
    const bot = await numberOf(setup, runner);
    redactor.learn('own number', bot);
    let leaving = new AbortController();
    const keys = isSandbox ? undefined : keysOf(context, output, () => leaving.abort(new Error('left out')));
    try {
      await playTour(steps, {
        parts: {
          desk,
          phones,
          numbers: { bot, wrong: numbers.wrongNumber, caller: numbers.myNumber, colleague: numbers.colleague },
          dial: async (to) => (await runner.start({ to, body: {}, query: {} })).callId,
          over: (callId, signal) => followCall(runner, callId, () => {}, signal),
          kill: (pid) => void process.kill(pid, 'SIGKILL'),
        },
        recorder,
        items: this.#items,
        signal: this.#over.signal,
        leftOut: () => {
          leaving = new AbortController();
          return leaving.signal;
        },
        onceMore: (step, why) => report.onceMore(step, why),
        begins: (step) => report.begins(step, steps.indexOf(step) + 1, steps.length),
        ended: keep,
      });
    } finally {
      keys?.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#recorder?.close();
    await this.front[Symbol.asyncDispose]();
  }
}

interface TourLine {
  readonly recorder: WireRecorder;
  readonly desk: Desk;
  readonly runner: RunnerClient;
  readonly redactor: Redactor;
  readonly keep: (result: StepResult, items: readonly WireItem[]) => void;
}

/** Before there is anything to be written down. */
const UNSEEN: SeenStream = { said: () => {}, closed: () => {} };

function redactorOf({ account, numbers, reference, keepsWords }: TourSetup): Redactor {
  const redactor = new Redactor(keepsWords ? 'all' : wordsOf(reference));
  if (account.kind === 'carrier') redactor.learn('account', account.credentials.authId);
  else redactor.learn('key', account.credentials.apiKey);
  redactor.learn('own number', account.phoneNumber);
  redactor.learn("caller's number", numbers.myNumber);
  redactor.learn("colleague's number", numbers.colleague);
  redactor.learn('wrong number', numbers.wrongNumber);
  return redactor;
}

/** The number that was taken, where the account has one only. */
async function numberOf({ account }: TourSetup, runner: RunnerClient): Promise<string> {
  const number = account.phoneNumber ?? (await runner.number());
  if (number !== undefined) return number;
  throw new VoicebotError('VB_INTERNAL', 'a tour without a number');
}

/** `s` leaves the step out that is played. */
function keysOf(context: CliContext, output: Output, skip: () => void): Hotkeys | undefined {
  if (!context.keyboard || output.isForPrograms) return undefined;
  const keys = [{ key: 's', help: 'leave this step out', run: skip }];
  const hotkeys = new Hotkeys(context.keyboard, keys, {
    output: context.stderr,
    onError: (error) => output.warn(error.message),
  });
  if (hotkeys.isActive) output.line(hotkeys.help);
  return hotkeys;
}
