import { VoicebotError } from '../../../base/errors.js';
import { asCallId, type CallId } from '../../../call/call-id.js';
import type { CallRecord } from '../../../call/call-record.js';
import type { ConsultRequest } from '../../../call/consult.js';
import type { ServedCall } from '../../bots/messages.js';
import { asDialled } from '../../dialing/dial-target.js';
import type { StartedCall } from '../../dialing/start-request.js';
import type { EffectOf } from './call-driver.js';
import type { CallRegistry } from './call-registry.js';
import { type CallLife, reasonOf } from './phase.js';
import { servedCall } from './served-call.js';
import type { CallSupervisor } from './supervisor.js';

/** Calls that may go on beside one: four parties hear each other then. */
export const MAX_BESIDE = 3;

/** A call to be dialled beside another one. */
export interface BesideRequest {
  readonly linkedTo: CallId;
  /** E.164: checked, and ours. */
  readonly to: string;
  readonly from: string;
  /** Whole seconds. */
  readonly ringSeconds: number;
}

/** A live call, as its driver holds it. */
interface ConsultingCall {
  readonly id: CallId;
}

export interface ConsultsOptions<Live extends ConsultingCall> {
  readonly registry: Pick<CallRegistry, 'get'>;
  readonly supervisor: Pick<CallSupervisor, 'happen' | 'legsOf' | 'lifeOf'>;
  /** @returns the number as E.164. @throws VoicebotError when it may not be called */
  readonly checkTarget: (to: string) => Promise<string>;
  /** The number that a call beside this one is placed from. */
  readonly callerIdOf: (call: Live, record: CallRecord) => string;
  /** Takes a place under the limits and has the provider place the call. @throws VoicebotError */
  readonly dial: (request: BesideRequest) => Promise<StartedCall>;
}

/**
 * Whether calls can be dialled beside this one: it has its bot, also in a runner that stops.
 * @throws VoicebotError VB_STREAM_CLOSED when it is over, or about to end
 */
export function checkGoesOn(life: CallLife | undefined): void {
  if (!life || reasonOf(life.facts)) throw new VoicebotError('VB_STREAM_CLOSED', 'the call is over, or about to end');
}

/** Has numbers dialled beside live calls, one after the other for each: two wishes for the same number make one call. */
export class Consults<Live extends ConsultingCall> {
  readonly #latest = new WeakMap<Live, Promise<unknown>>();

  constructor(private readonly options: ConsultsOptions<Live>) {}

  /** `consulted` follows. Never rejects. */
  async ask(call: Live, { bot, request, ...wanted }: EffectOf<'consult'>): Promise<void> {
    const { supervisor, registry } = this.options;
    const answer = { type: 'consulted', bot, request } as const;
    const before = this.#latest.get(call);
    const asked = Promise.resolve(before).then(() => this.#consult(call, wanted));
    this.#latest.set(
      call,
      asked.catch(() => {}),
    );
    await asked.then(
      (leg) => {
        supervisor.happen(call.id, { ...answer, leg });
        const { endReason } = registry.get(leg.id) ?? {};
        if (endReason) supervisor.happen(call.id, { type: 'leg_over', leg: leg.id, reason: endReason }); // before it was named
      },
      (error: unknown) => {
        const problem = VoicebotError.fieldsOf(error, 'VB_TRANSFER_FAILED');
        supervisor.happen(call.id, { ...answer, problem });
      },
    );
  }

  async #consult(call: Live, { to: written, ringSeconds, legId }: ConsultRequest): Promise<ServedCall> {
    const { supervisor, registry, checkTarget, callerIdOf, dial } = this.options;
    if (legId !== undefined) return this.#takenOn(call, asCallId(legId));
    const to = await checkTarget(written);
    const record = this.#recordOf(call.id);
    await refuseParties(to, record);
    const legs = supervisor
      .legsOf(call.id)
      .filter((id) => !isEnding(supervisor.lifeOf(id)))
      .map((id) => this.#recordOf(id));
    const there = legs.find((leg) => leg.to === to);
    if (there) return servedCall(there, there.attempt);
    if (legs.length >= MAX_BESIDE) {
      throw new VoicebotError('VB_DIAL_LIMIT', `at most ${MAX_BESIDE} calls go on beside one`, {
        hint: 'end one of them first',
      });
    }
    const { callId } = await dial({ linkedTo: call.id, to, from: callerIdOf(call, record), ringSeconds });
    const placed = registry.get(callId);
    if (!placed) throw new VoicebotError('VB_STREAM_CLOSED', 'the call is over');
    return servedCall(placed, placed.attempt);
  }

  /** The call that was placed for an earlier bot, which may be over by now. */
  #takenOn(call: Live, id: CallId): ServedCall {
    const leg = this.options.registry.get(id);
    if (leg?.linkedTo !== call.id) throw new VoicebotError('VB_STREAM_CLOSED', 'the consulted call is over');
    return servedCall(leg, leg.attempt);
  }

  #recordOf(id: CallId): CallRecord {
    const record = this.options.registry.get(id);
    if (!record) throw new VoicebotError('VB_STREAM_CLOSED', 'the call is over');
    return record;
  }
}

/** It has been decided that it ends, and why: its number may be dialled again. */
const isEnding = (life: CallLife | undefined): boolean => life !== undefined && reasonOf(life.facts) !== undefined;

/** A number that is on the line already would be busy, or be the bot itself. @throws VoicebotError VB_TARGET_REFUSED */
async function refuseParties(to: string, { direction, from, to: called }: CallRecord): Promise<void> {
  const [caller, callee] = await Promise.all([from === undefined ? undefined : asDialled(from), asDialled(called)]);
  if (to !== caller && to !== callee) return;
  const isOther = to === (direction === 'inbound' ? caller : callee);
  throw new VoicebotError(
    'VB_TARGET_REFUSED',
    isOther ? 'it is the number that the bot talks to already' : "it is the bot's own number, which would call itself",
  );
}
