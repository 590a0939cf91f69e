import { atrium } from './provider.js';

/** @type {import('voicebot/provider').VoicebotExtension} */
export default { providerContract: 1, rooms: atrium, roomsSandbox: () => import('./sandbox.js') };
