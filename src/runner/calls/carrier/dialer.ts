import { pause } from '../../../base/async/pause.js';
import { VoicebotError } from '../../../base/errors.js';
import type { Logger } from '../../../base/logger.js';
import type { CallId, ProviderCallId } from '../../../call/call-id.js';
import type { CarrierRestClient, MachineDetection, PlaceCallRequest } from '../../../providers/carrier.js';
import { admitCall } from '../../dialing/admit.js';
import type { DialGate } from '../../dialing/dial-limits.js';
import type { DoNotCallList } from '../../dialing/do-not-call/do-not-call-list.js';
import type { StartedCall, StartRequest } from '../../dialing/start-request.js';
import { type CallRegistry, newCallId } from '../life/call-registry.js';
import type { BesideRequest } from '../life/consults.js';
import { forCall } from '../life/current-call.js';
import type { CallDocuments } from './call-documents.js';
import type { CarrierCall, NewCarrierCall } from './carrier-call.js';
import type { CarrierDriver } from './carrier-driver.js';

/** Looks at the carrier after a request whose answer got lost, and the pause before each, in milliseconds. */
const LOOKUPS = 4;
const LOOKUP_PAUSE_MS = 1_500;
/** Longest answer address, in characters: the carrier's own limit is not known, and our server takes twice as much. */
const MAX_ANSWER_URL_LENGTH = 16 * 1_024;

export interface DialerOptions {
  client: Pick<CarrierRestClient, 'placeCall' | 'findCalls'>;
  calls: CarrierDriver;
  registry: CallRegistry;
  documents: CallDocuments;
  limits: DialGate;
  /** @throws VoicebotError when this number may not be called */
  checkTarget: (to: string) => Promise<string>;
  doNotCall: Pick<DoNotCallList, 'check'>;
  /** The number that calls, E.164. */
  phoneNumber: string | undefined;
  /** The variable that it would be set by. */
  numberName: string;
  ringSeconds: number;
  /** Longest a dialled call may last from its answer on, in seconds. */
  maxSeconds: number;
  machineDetection: MachineDetection;
  /** A call is about to be dialled: the other runners are to know of it. */
  begun?: ((id: CallId) => Promise<void> | undefined) | undefined;
  logger: Logger;
}

/** From where to where a call goes. */
type DialledLine = Omit<BesideRequest, 'linkedTo'>;

interface DialSteps {
  /** @throws VoicebotError when no call may be dialled now */
  readonly check: () => void;
  readonly opened?: () => void;
}

/** Places calls at the carrier: each at most once, whatever becomes of the request. */
export class Dialer {
  constructor(private readonly options: DialerOptions) {}

  /**
   * Resolves when the carrier has taken the call; what becomes of it is told by the carrier's webhooks.
   * @throws VoicebotError VB_RUNNER_STOPPING, VB_TUNNEL_FAILED, VB_CONFIG_INVALID without a number of our own, VB_REQUEST_INVALID,
   *   VB_TARGET_REFUSED, VB_DO_NOT_CALL, VB_DO_NOT_CALL_DAMAGED, VB_DIAL_LIMIT, VB_CLUSTER_UNREACHABLE, VB_CALL_UNCERTAIN, and what the carrier's client throws
   */
  async dial({ phoneNumber: callee, body, parameters, traceparent, callId }: StartRequest): Promise<StartedCall> {
    const { calls, registry, checkTarget, phoneNumber: from, ringSeconds } = this.options;
    if (from === undefined) {
      throw new VoicebotError('VB_CONFIG_INVALID', 'the bot has no number to call from', {
        hint: `set ${this.options.numberName} to a number of the account`,
      });
    }
    const to = await checkTarget(callee);
    const id = callId ?? newCallId();
    const call = { id, isDialled: true, body, query: parameters, providerCallId: undefined };
    return await this.#dial(
      call,
      { from, to, ringSeconds },
      {
        check: () => calls.checkTakesDialled(),
        opened: () => traceparent && registry.timelines.note(id, { type: 'trace', traceparent }),
      },
    );
  }

  /**
   * The same for a call beside another one, whose bot is to have it.
   * @throws VoicebotError VB_STREAM_CLOSED when the other call is over, and as {@link dial}
   */
  async dialBeside({ linkedTo, ...line }: BesideRequest): Promise<StartedCall> {
    const call = { id: newCallId(), isDialled: true, linkedTo, body: {}, query: {}, providerCallId: undefined };
    const check = () => this.options.calls.checkTakesBeside(linkedTo);
    return await this.#dial(call, line, { check });
  }

  async #dial(begun: NewCarrierCall, line: DialledLine, { check, opened }: DialSteps): Promise<StartedCall> {
    const { calls, registry, limits } = this.options;
    const { id } = begun;
    const place = await admitCall(limits, line.to, id, check);
    const call = calls.openDialled(begun, line.from, line.to, line.ringSeconds);
    opened?.();
    registry.onceEnded(id, () => place.release(registry.talkedMs(id)));
    try {
      await this.options.begun?.(id);
      await forCall(id, () => this.#place(call, line));
    } catch (error) {
      if (!isUncertain(error)) place.undo(); // it may ring after all
      calls.abandon(call, 'telephony_error');
      throw error;
    }
    calls.placed(call);
    return { callId: id, providerCallId: call.providerCallId };
  }

  async #place(call: CarrierCall, { from, to, ringSeconds }: DialledLine): Promise<void> {
    const { client, doNotCall, maxSeconds, machineDetection, logger } = this.options;
    const request: PlaceCallRequest = {
      ...this.#addresses(call),
      to,
      from,
      ringTimeoutS: ringSeconds,
      timeLimitS: maxSeconds,
      machineDetection,
    };
    await doNotCall.check(to); // it may have been put on the list since the call was admitted
    try {
      const { providerCallId } = await client.placeCall(request);
      if (providerCallId !== undefined) this.#bind(call, providerCallId);
    } catch (error) {
      if (!isUncertain(error)) throw error;
      logger.warn('the carrier may have placed a call, looking it up', { callId: call.id, error });
      if (await this.#wasPlaced(call, from, to)) return;
      throw new VoicebotError('VB_CALL_UNCERTAIN', 'its answer got lost, and it does not list the call', {
        hint: 'if it rings after all, it is ended at once; look at the carrier before you dial again',
        cause: error,
      });
    }
  }

  #addresses(call: CarrierCall): ReturnType<CallDocuments['dialled']> {
    const addresses = this.options.documents.dialled(call);
    if (addresses.answerUrl.length <= MAX_ANSWER_URL_LENGTH) return addresses;
    throw new VoicebotError(
      'VB_BODY_TOO_LARGE',
      `with its parameters it makes an address of more than ${MAX_ANSWER_URL_LENGTH} characters`,
    );
  }

  /**
   * A webhook of the call proves it, and so does a call between these numbers that this runner does not know. Which of
   * the carrier's calls it is, only its webhooks tell for certain: the other might be another program's.
   */
  async #wasPlaced(call: CarrierCall, from: string, to: string): Promise<boolean> {
    const isKnown = () => call.providerCallId !== undefined;
    for (let look = 1; look <= LOOKUPS && !isKnown() && this.options.calls.isLive(call); look += 1) {
      if ((await this.#unknownCalls(call.id, from, to)).length > 0) return true;
      if (!isKnown()) await pause(LOOKUP_PAUSE_MS);
    }
    return isKnown();
  }

  /** The runner may have stopped meanwhile: it has let go of a call that it could not name, which is ended now. */
  #bind(call: CarrierCall, providerCallId: ProviderCallId): void {
    const { calls } = this.options;
    const isLetGo = call.providerCallId === undefined && !calls.isLive(call);
    calls.bind(call, providerCallId);
    if (isLetGo) throw new VoicebotError('VB_RUNNER_STOPPING', 'the call is ended again');
  }

  async #unknownCalls(callId: CallId, from: string, to: string): Promise<ProviderCallId[]> {
    const { client, calls, logger } = this.options;
    try {
      const found = await client.findCalls({ from, to });
      return found.filter((providerCallId) => calls.ofProvider(providerCallId) === undefined);
    } catch (error) {
      logger.warn('the carrier could not be asked for its calls', { callId, error });
      return [];
    }
  }
}

/** Unless the carrier's client is sure that no call was placed, there may be one. */
function isUncertain(error: unknown): boolean {
  return !(error instanceof VoicebotError) || error.code === 'VB_CALL_UNCERTAIN';
}
