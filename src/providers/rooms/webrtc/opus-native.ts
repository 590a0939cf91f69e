import { requireOpus } from './webrtc-packages.js';

/** One encoder and one decoder in the heap. `bytes` counts two per sample. */
export interface OpusHandler {
  /** Reads two bytes per sample, each in 16 bits. @returns bytes written to `packetAt`; negative for an error */
  _encode(pcmAt: number, bytes: number, packetAt: number, samples: number): number;
  /** Writes two bytes per sample, each in 16 bits. @returns samples; negative for an error */
  _decode(packetAt: number, bytes: number, pcmAt: number): number;
  _encoder_ctl(request: number, value: number): number;
}

interface OpusModule {
  /** Replaced whenever the heap grows: not to be kept. */
  readonly HEAPU8: Uint8Array;
  readonly HEAPU16: Uint16Array;
  _malloc(bytes: number): number;
  readonly OpusScriptHandler: {
    new (sampleRate: number, channels: number, application: number): OpusHandler;
    destroy_handler(handler: OpusHandler): void;
  };
}

export interface OpusNative {
  readonly module: OpusModule;
  /** Where samples pass to and from the codecs, all of them: a call is over before the next begins. */
  readonly pcmAt: number;
  readonly packetAt: number;
}

/** Largest packet that fits, in bytes. */
export const MAX_OPUS_PACKET_BYTES = 3_828;

/** 120 ms at 48 000 Hz, the most that a packet holds, at four bytes per sample. */
const PCM_BYTES = 5_760 * 4;

let native: OpusNative | undefined;

/**
 * Loads libopus, compiled to WebAssembly, once per process. It is used without its JavaScript wrapper: that one gives
 * each codec buffers of its own but takes their byte addresses for indexes of 16-bit words, so that codecs write over
 * each other, and keeps views of a heap that has been replaced when it grew.
 * @throws VoicebotError VB_CONFIG_INVALID when its package is not installed
 */
export function loadOpus(): OpusNative {
  if (!native) {
    const module = (requireOpus() as () => OpusModule)();
    native = { module, pcmAt: module._malloc(PCM_BYTES), packetAt: module._malloc(MAX_OPUS_PACKET_BYTES) };
  }
  return native;
}
