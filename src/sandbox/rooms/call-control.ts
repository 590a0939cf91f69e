import type { CallControlMethod } from '../../providers/rooms/client-messages.js';
import {
  Eject,
  Refer,
  readParams,
  SendDtmf,
  StartDialOut,
  StopDialOut,
  Transfer,
  UpdatePermissions,
} from './control-params.js';
import { dial, ringLeg } from './dial-out.js';
import { ROOM_HANGUP_CAUSES } from './hangup-causes.js';
import { transferToPhone, transferToRoom } from './leg-transfer.js';
import { ParticipantPermissions } from './permissions.js';
import type { PhoneLeg } from './phone-leg.js';
import { invalidRequest, notFound } from './refusals.js';
import type { RoomLines } from './room-lines.js';
import type { SandboxRoom } from './room-session.js';

type Params = Readonly<Record<string, unknown>>;

/** @see rooms reference 10 */
const DIAL_OUT_DISABLED = 'dial-out not enabled for room. add enable_dialout property to room';

/**
 * Call control of rooms: it refuses or starts a request at once, and events report the outcome.
 * @see rooms reference 8
 */
export class RoomCallControl {
  readonly #methods: Readonly<Record<CallControlMethod, (session: SandboxRoom, params: Params) => object>> = {
    startDialOut: (session, params) => this.#startDialOut(session, params),
    stopDialOut: (session, params) => this.#stopDialOut(session, params),
    sendDTMF: (session, params) => this.#sendDtmf(session, params),
    sipCallTransfer: (session, params) => this.#transfer(session, params),
    sipRefer: (session, params) => this.#refer(session, params),
    updatePermissions: (session, params) => {
      session.updatePermissions(readParams(UpdatePermissions, params).data);
      return {};
    },
    eject: (session, params) => ({ ejectedIds: session.eject(readParams(Eject, params).ids) }),
  };

  constructor(private readonly lines: RoomLines) {}

  /** @returns the fields of the answer @throws RoomRefusal */
  perform(session: SandboxRoom, method: CallControlMethod, params: Params): object {
    return this.#methods[method](session, params);
  }

  #startDialOut(session: SandboxRoom, params: Params): object {
    this.#requireDialOut(session);
    const { phoneNumber, sipUri, displayName, userId, callerId, permissions } = readParams(StartDialOut, params);
    const destination = phoneNumber ?? sipUri ?? '';
    if (session.isDialling(destination)) throw invalidRequest('dial-out already started');
    if (!session.hasFreeLine) throw invalidRequest('no more SIP or PSTN participants allowed in room');
    this.lines.takeDialout();
    const dialled = dial(destination, callerId, this.lines, { isTransferTarget: false });
    const leg = session.addDialled({
      call: dialled.call,
      userName: displayName ?? destination,
      userId,
      permissions: new ParticipantPermissions(false, session.room.properties.permissions, permissions),
      details: { destination, callerId: dialled.callerId },
    });
    this.lines.follow(
      ringLeg(leg, dialled.callee, session).then((isAnswered) => {
        if (isAnswered) session.connect(leg);
      }),
    );
    return { sessionId: leg.sessionId };
  }

  #stopDialOut(session: SandboxRoom, params: Params): object {
    const leg = session.leg(readParams(StopDialOut, params).sessionId);
    if (leg?.direction !== 'dial-out') throw notFound('no dial-out to stop');
    leg.call.finish(ROOM_HANGUP_CAUSES.ejected, 'Room');
    return {};
  }

  #sendDtmf(session: SandboxRoom, params: Params): object {
    const { sessionId, tones, digitDurationMs } = readParams(SendDtmf, params);
    this.#legInRoom(session, sessionId).playTones(tones, digitDurationMs);
    return {};
  }

  #transfer(session: SandboxRoom, params: Params): object {
    const { sessionId, toEndPoint, callerId } = readParams(Transfer, params);
    const leg = this.#transferable(session, sessionId);
    if (toEndPoint.startsWith('sip:')) {
      this.lines.follow(transferToRoom(leg, toEndPoint, session, this.lines));
    } else {
      this.#requireDialOut(session);
      const dialled = dial(toEndPoint, callerId, this.lines, { isTransferTarget: true });
      this.lines.follow(transferToPhone(leg, dialled, session, this.lines));
    }
    return {};
  }

  #refer(session: SandboxRoom, params: Params): object {
    const { sessionId, toEndPoint } = readParams(Refer, params);
    const leg = this.#transferable(session, sessionId);
    this.lines.follow(transferToRoom(leg, toEndPoint, session, this.lines));
    return {};
  }

  #requireDialOut({ room }: SandboxRoom): void {
    const { properties } = this.lines.account.room(room.name) ?? room;
    if (!properties.enable_dialout) throw invalidRequest(DIAL_OUT_DISABLED);
  }

  #legInRoom(session: SandboxRoom, sessionId: string): PhoneLeg {
    const leg = session.leg(sessionId);
    if (!leg?.isInRoom) throw notFound('no session running');
    return leg;
  }

  #transferable(session: SandboxRoom, sessionId: string): PhoneLeg {
    const leg = this.#legInRoom(session, sessionId);
    if (leg.isTransferring) throw invalidRequest('call transfer already started');
    return leg;
  }
}
