import type { CallId } from '../../call/call-id.js';
import type { DialGate, DialSlot } from './dial-limits.js';

/**
 * Takes a place for a call to `to`, E.164, once `checkTakesDialled` lets it pass; and again after the limits were asked, since whether
 * calls are dialled may change meanwhile.
 * @throws what {@link DialGate.admit} and `checkTakesDialled` throw; no place is taken then
 */
export async function admitCall(
  limits: Pick<DialGate, 'admit'>,
  to: string,
  id: CallId,
  checkTakesDialled: () => void,
): Promise<DialSlot> {
  checkTakesDialled();
  const place = await limits.admit(to, id);
  try {
    checkTakesDialled();
  } catch (error) {
    place.undo();
    throw error;
  }
  return place;
}
