import type { Config } from '../../config/config.js';
import type { TransportKind } from '../transports.js';

export interface DoctorOptions {
  transport?: TransportKind;
  tunnel?: Config['tunnel'];
  publicUrl?: string;
  port?: number;
  json?: boolean;
}
