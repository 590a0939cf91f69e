import type { TransportKind } from '../../assembly/transports.js';
import type { Config } from '../../config/config.js';
import type { CliContext } from '../../terminal/context.js';
import type { Output } from '../../terminal/output.js';

export interface RunBotOptions {
  config: Config;
  transport: TransportKind;
  /** Use the sandbox whatever credentials there are. */
  sandbox: boolean;
  /** Point the account's number at this runner while it runs. */
  isDialin: boolean;
  /** Take the number even from another run that holds it. */
  isTaking: boolean;
  /** Take the number without a question, also when others answer it now. */
  isYes: boolean;
  /** Options of the command line that only mean something with an account, such as `--number`. */
  accountOptions: readonly string[];
  insecureWebhooks: boolean;
  /** Stand-ins serve the calls in place of the services that need keys. */
  standIns: boolean;
  /** Write the full log to standard error instead of showing only what needs attention. */
  isVerbose: boolean;
  context: CliContext;
  output: Output;
  /** What the provider reaches in place of the runner, and which passes all on to it. Default: nothing stands between. */
  front?: { readonly port: number; readonly url: string; leadTo(url: string): void } | undefined;
  /** What it is served for: when that is over the run is. Default: it goes on until a signal comes. */
  task?: (url: string, token: string) => Promise<void>;
}
