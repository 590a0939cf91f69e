import { createRequire } from 'node:module';
import { VoicebotError } from '../../../base/errors.js';
import { fileOfOptionalPackage, hasOptionalPackage, importOptionalPackage } from '../../../base/optional-package.js';

export type Werift = typeof import('werift');

/**
 * The WebRTC library, which users install beside us.
 * @throws VoicebotError VB_CONFIG_INVALID when it is not there
 */
export async function loadWerift(): Promise<Werift> {
  try {
    return (await importOptionalPackage('werift')) as Werift;
  } catch (cause) {
    throw missing(cause);
  }
}

/**
 * The module of the codec's package that holds libopus itself.
 * @throws VoicebotError VB_CONFIG_INVALID when it is not there
 */
export function requireOpus(): unknown {
  const path = fileOfOptionalPackage('opusscript', 'build/opusscript_native_wasm.js');
  if (path === undefined) throw missing();
  return createRequire(import.meta.url)(path);
}

/**
 * Says early, before a call comes, that the packages are missing which the sandbox's rooms need.
 * @throws VoicebotError VB_CONFIG_INVALID
 */
export function requireWebRtc(): void {
  if (!hasOptionalPackage('werift') || !hasOptionalPackage('opusscript')) throw missing();
}

const missing = (cause?: unknown) =>
  new VoicebotError('VB_CONFIG_INVALID', 'the rooms of the sandbox need the packages werift and opusscript', {
    hint: 'npm install werift opusscript',
    cause,
  });
