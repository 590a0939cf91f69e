import type { OptionNames } from '../../../base/names/option-names.js';
import type { CarrierFrameSerializer } from './carrier-frame-serializer.js';

/** What a `WebSocketTransport` carries, and for which call. */
export interface WebSocketTransportParams {
  /** Whether the pipeline gets the caller's audio. Default true. */
  audioInEnabled?: boolean;
  /** Whether the caller gets the pipeline's audio. Default true. */
  audioOutEnabled?: boolean;
  /** A carrier's stream carries bare audio, so only `false` is possible. */
  addWavHeader?: false;
  serializer: CarrierFrameSerializer;
}

export const WEBSOCKET_PARAMS: OptionNames<WebSocketTransportParams> = {
  audioInEnabled: true,
  audioOutEnabled: true,
  addWavHeader: true,
  serializer: true,
};
