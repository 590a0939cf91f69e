import { settlesWithin } from '../../base/async/deadline.js';
import { VoicebotError } from '../../base/errors.js';
import type { EndReason } from '../../call/call.js';
import type { ConsultLeg, Handover, WarmTerms } from '../../call/consult.js';
import {
  type FailedWarmTransfer,
  type TransferOutcome,
  transferRefusal,
  type WarmTransferFailure,
} from '../../call/transfer-outcome.js';
import { acceptanceQuestion } from '../conversation/acceptance-question.js';
import type { Language } from '../pipeline/language.js';
import { HOLD_MUSIC } from '../transports/looped-sound.js';
import { Bridge, type Joinable } from './bridge.js';
import { type BriefedCall, brief } from './briefing.js';
import type { CallLeg } from './call-leg.js';
import type { ConsultedCall, Consulting } from './consulting.js';
import { holdSoundOf } from './hold-options.js';
import type { Sound } from './sound.js';
import { acceptanceOf, RING_SECONDS, type WarmBrief, type WarmOptions } from './transfer-options.js';

/** How much later the end of the caller's call may be told than that of the other one, in milliseconds. */
const PARTING_MS = 500;

/** A call that a warm transfer is about. */
type WarmCall = Joinable & BriefedCall & ConsultedCall;

/** What a warm transfer needs of the call whose caller it connects. */
export interface WarmScene {
  readonly caller: Joinable & { readonly leg: CallLeg };
  readonly consulting: Pick<Consulting<WarmCall>, 'call'>;
  /** What is spoken in the call. */
  language(): Language;
  /** Has the model write from the conversation. @throws VoicebotError, ProviderError */
  write(prompt: string, signal: AbortSignal): Promise<string>;
}

/** A destination that is to be dialled, or whose call an earlier bot has had placed. */
interface Ringing {
  readonly to: string;
  /** Of that call, where it is known. */
  readonly legId?: string;
  readonly ringSeconds?: number | undefined;
  /** What the destination is told and asked; undefined: it has been. */
  readonly terms: WarmTerms | undefined;
  /** What the runner keeps of that. */
  readonly kept: WarmTerms | undefined;
}

/** Connects the caller of one call with people who are briefed first. */
export class WarmTransfers {
  #going: { readonly to: string; readonly outcome: Promise<TransferOutcome> } | undefined;

  constructor(private readonly scene: WarmScene) {}

  /** Where one is going on to; undefined where none is. */
  get goingTo(): string | undefined {
    return this.#going?.to;
  }

  /**
   * @param to as it is dialled; while one there is going on, that is joined
   * @returns what became of it; never rejects
   */
  transfer(to: string, announce: string | Sound | undefined, warm: WarmOptions): Promise<TransferOutcome> {
    if (this.#going) return this.#going.outcome;
    return this.#follow(to, this.#connect(to, announce, warm));
  }

  /**
   * Goes on with what an earlier bot of the call was about to hand over.
   * @returns why it came to nothing; undefined where the two are connected, or the caller's call is over
   */
  async takeOver(handover: Handover): Promise<FailedWarmTransfer | undefined> {
    const { to } = handover;
    const outcome = await this.#follow(to, this.#goOn(handover));
    if (outcome.status === 'answered' || outcome.status === 'caller_left') return undefined;
    const status = outcome.status === 'refused' ? 'failed' : outcome.status;
    return { status, detail: outcome.detail, toEndPoint: to };
  }

  async #follow(to: string, outcome: Promise<TransferOutcome>): Promise<TransferOutcome> {
    this.#going = { to, outcome };
    return outcome.finally(() => {
      this.#going = undefined;
    });
  }

  async #connect(to: string, announce: string | Sound | undefined, warm: WarmOptions): Promise<TransferOutcome> {
    const { caller } = this.scene;
    const { leg } = caller;
    leg.hold(undefined);
    return this.#withCallerHeld(async () => {
      const { hold = 'music' } = warm;
      const [sound, text] = await Promise.all([
        holdSoundOf(hold),
        this.#briefOf(warm.brief, leg.signal),
        announce === undefined ? undefined : caller.say(announce),
      ]);
      if (leg.isJoined) throw new VoicebotError('VB_TRANSFER_FAILED', 'the caller is joined with others');
      leg.hold(sound);
      const terms = { brief: text, ...acceptanceOf(warm.accept), hold: String(hold) };
      return this.#ring({ to, terms, kept: terms, ringSeconds: warm.ringSeconds });
    });
  }

  /** With the leg that the earlier bot has had dialled: it is not dialled again. */
  async #goOn({ to, phase, warm, legId }: Handover): Promise<TransferOutcome> {
    return this.#withCallerHeld(async () => {
      const hold = phase === 'bridged' ? 'silence' : (warm?.hold ?? 'music');
      this.scene.caller.leg.hold(await holdSoundOf(hold).catch(() => HOLD_MUSIC));
      return this.#ring({ to, legId, terms: phase === 'bridged' ? undefined : warm, kept: warm });
    });
  }

  /** The caller is with the bot again unless they are connected. Never rejects. */
  async #withCallerHeld(connect: () => Promise<TransferOutcome>): Promise<TransferOutcome> {
    const { leg } = this.scene.caller;
    try {
      return await connect();
    } catch (error) {
      const refusal = transferRefusal(error);
      if (refusal.status !== 'caller_left') return this.#failed(refusal);
      // The other call is over; the end of the caller's, which may be why, is told later.
      await settlesWithin(leg.ended, PARTING_MS);
      return this.#failed({ status: 'failed', detail: (error as Error).message });
    } finally {
      leg.unhold();
    }
  }

  async #ring({ to, terms, kept, ringSeconds = RING_SECONDS, legId: known = '' }: Ringing): Promise<TransferOutcome> {
    const { caller, consulting, language } = this.scene;
    const { leg } = caller;
    let legId = known;
    const tell = (phase: Handover['phase']) => leg.runner?.tellHandover?.({ to, legId, phase, warm: kept });
    if (terms) tell('ringing'); // before it is dialled: this process may be gone by the time that it rings
    const placed = ({ call }: ConsultLeg) => {
      legId = call.id; // the runner knows it
    };
    const colleague = await consulting.call(to, ringSeconds, placed, known);
    const connected: TransferOutcome = { status: 'answered', data: { toEndPoint: to, sessionId: legId } };
    if (colleague.isOver) return terms ? this.#notReached(await colleague.leg.ended) : this.#parted(connected);
    try {
      if (leg.isJoined) throw new VoicebotError('VB_TRANSFER_FAILED', 'the caller is joined with others');
      if (terms) {
        tell('briefing');
        if (known !== '') await colleague.leg.party.hear([]); // an earlier bot may have joined the two in a room
        const result = await brief(colleague, terms, acceptanceQuestion(terms, language()), leg.signal);
        // Whose call the end of the caller's has ended may seem to have hung up first.
        if (result.status === 'hung_up') await settlesWithin(leg.ended, PARTING_MS);
        if (leg.isOver || result.status !== 'accepted') {
          await this.#sendAway(colleague);
          return result.status === 'accepted' ? { status: 'caller_left' } : this.#failed(result);
        }
      }
      const bridge = await Bridge.of(caller, [colleague], {}, kept);
      bridge.leave();
    } catch (error) {
      await settlesWithin(colleague.leg.ended, PARTING_MS); // it may be why, and told later
      const hasHungUp = colleague.leg.isOver;
      if (hasHungUp && !terms) return this.#parted(connected);
      await this.#sendAway(colleague);
      return this.#failed({ status: hasHungUp ? 'hung_up' : 'failed', detail: (error as Error).message });
    }
    return connected;
  }

  /** Resolves when the runner knows that the colleague's call ends, so that the number may be dialled again. */
  async #sendAway({ leg }: WarmCall): Promise<void> {
    leg.end('bot_ended');
    await settlesWithin(leg.ended, PARTING_MS);
  }

  /** The two were connected when the earlier bot went, and the destination has hung up since: so the caller's call ends, too. */
  #parted(connected: TransferOutcome): TransferOutcome {
    const { leg } = this.scene.caller;
    leg.leave();
    leg.end('transferred');
    return connected;
  }

  async #notReached(reason: EndReason): Promise<TransferOutcome> {
    // The end of the caller's call, which may be told later, ends the ringing so.
    if (reason === 'bot_ended' || reason === 'caller_hung_up')
      await settlesWithin(this.scene.caller.leg.ended, PARTING_MS);
    return this.#failed({ status: UNREACHED[reason] ?? 'failed', detail: `its call has come to nothing: ${reason}` });
  }

  /** The caller is with the bot: the runner keeps nothing of it, but what is told of a bridge that was made meanwhile. */
  #failed(outcome: TransferOutcome): TransferOutcome {
    const { leg } = this.scene.caller;
    if (leg.isOver) return { status: 'caller_left' };
    if (!leg.isJoined) leg.runner?.tellHandover?.(undefined);
    return outcome;
  }

  async #briefOf(text: WarmBrief, signal: AbortSignal): Promise<string> {
    return typeof text === 'string' ? text : this.scene.write(text.prompt, signal);
  }
}

/** Ends of a call without an answer, as outcomes; all others have failed. */
const UNREACHED: Partial<Record<EndReason, WarmTransferFailure>> = {
  busy: 'busy',
  no_answer: 'no_answer',
  rejected: 'rejected',
  voicemail: 'voicemail',
  caller_hung_up: 'hung_up', // they answered, and were gone before the bot was with them
};
