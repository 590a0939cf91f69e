import type {
  DailyCall,
  DailyEventObjectParticipant,
  DailyParticipant,
  DailyParticipantCanReceivePermission,
  DailyParticipantsObject,
} from '@daily-co/daily-js';
import { deferred } from '../../../../base/async/deferred.js';
import { isFields, type JsonFields } from '../../../../base/http/json-fields.js';

/** How long the room may take to tell that a permission is as it was asked for, in milliseconds. */
const CONFIRM_LIMIT_MS = 5_000;

type Wished = DailyParticipantCanReceivePermission;

/** The calls of the provider's client that this takes. */
type Permitting = Pick<DailyCall, 'participants' | 'updateParticipants' | 'on' | 'off'>;

/**
 * Says whom participants hear. The client does not tell whether it was carried out: the participants that it shows do (rooms reference 11).
 */
export class PagePermissions {
  constructor(private readonly call: Permitting) {}

  /**
   * Resolves when all of the participants are shown with what was asked for.
   * @param params `data`: by session id, as the provider's REST API takes it
   * @throws Error for a participant who is not there, and when the room does not tell it in time
   */
  async update({ data }: JsonFields): Promise<object> {
    const wished = Object.entries(data as Readonly<Record<string, { readonly canReceive: Wished }>>);
    const isDone = () => wished.every(([id, { canReceive }]) => isAs(this.#find(id), canReceive));
    for (const [id] of wished) if (!this.#find(id)) throw new Error('updatePermissions: no such participant');
    const done = deferred();
    const look = (_: DailyEventObjectParticipant) => {
      if (isDone()) done.resolve();
    };
    const late = () =>
      done.reject(new Error('updatePermissions: the room has not confirmed it; it may have been done'));
    const timer = setTimeout(late, CONFIRM_LIMIT_MS);
    this.call.on('participant-updated', look);
    try {
      const updates = wished.map(([id, { canReceive }]) => [id, { updatePermissions: { canReceive } }]);
      this.call.updateParticipants(Object.fromEntries(updates));
      if (isDone()) done.resolve();
      await done.promise;
      return {};
    } finally {
      clearTimeout(timer);
      this.call.off('participant-updated', look);
    }
  }

  #find(sessionId: string): DailyParticipant | undefined {
    const { local, ...others }: DailyParticipantsObject = this.call.participants();
    return local?.session_id === sessionId ? local : others[sessionId];
  }
}

/** Whether a participant is shown to hear whom it was asked to, and no others. The client may write a permission in another form. */
function isAs(participant: DailyParticipant | undefined, wished: Wished): boolean {
  const is = participant?.permissions?.canReceive;
  if (!is) return false;
  const isSame = (one: Wished['byUserId'] = {}, other: Wished['byUserId'] = {}) =>
    [...new Set([...Object.keys(one), ...Object.keys(other)])].every((id) => audioOf(one[id]) === audioOf(other[id]));
  return (
    audioOf(is.base) === audioOf(wished.base) &&
    isSame(is.byUserId, wished.byUserId) &&
    isSame(is.byParticipantId, wished.byParticipantId)
  );
}

const audioOf = (permission: unknown): unknown => (isFields(permission) ? permission.audio : permission);
