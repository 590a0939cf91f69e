/** What is used of localtunnel 2.0.2, which has no types. */
declare module 'localtunnel/lib/TunnelCluster.js' {
  import type { EventEmitter } from 'node:events';
  import type { Socket } from 'node:net';

  export interface TunnelClusterOptions {
    remote_host: string;
    remote_ip?: string | undefined;
    remote_port: number;
    local_port: number;
  }

  export default class TunnelCluster extends EventEmitter<{ open: [remote: Socket]; error: [error: Error] }> {
    constructor(options: TunnelClusterOptions);
    /** Opens one more connection to the tunnel server, and one to the local port with it. */
    open(): void;
  }
}
