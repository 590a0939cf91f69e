import { joinSandboxRoom } from 'voicebot/testing';

/**
 * What bots join spaces with. The client of a provider that exists is made of its SDK; Atrium has the rooms of voicebot's sandbox and no others.
 * @type {import('voicebot/provider').JoinRoom}
 */
export const joinSpace = ({ userName, ...options }) =>
  joinSandboxRoom({ ...options, userName: `${userName} @ Atrium` });
