import { vobiz } from './carrier.js';

/** @type {import('voicebot/provider').VoicebotExtension} */
export default { providerContract: 1, carrier: vobiz, sandbox: () => import('./sandbox.js') };
