import type { TransportKind } from './transports.js';

export interface ConfigureOptions {
  transport?: TransportKind;
  url?: string;
  port?: string;
  dryRun?: boolean;
  reset?: boolean;
  take?: boolean;
  yes?: boolean;
  json?: boolean;
}
