import { VoicebotError } from '../../base/errors.js';
import { DEMO_OPERATOR } from '../../call/operator-number.js';
import type { Config } from '../../config/config.js';
import type { Runner } from '../../runner/runner.js';
import type { Tunnel } from '../../runner/tunnel/tunnel.js';
import type { CliContext } from '../../terminal/context.js';
import { Hotkeys } from '../../terminal/hotkeys.js';
import { openPage } from '../../terminal/open-page.js';
import type { Output } from '../../terminal/output.js';
import { interruptSelf } from '../../terminal/signals.js';
import type { RunReport } from './run-report.js';

/** The keys of `voicebot run`, where a person sits at a terminal: what is typed before they are served is kept. */
export function takeKeyboard({ context, output }: { context: CliContext; output: Output }): Hotkeys | undefined {
  if (!context.keyboard || output.isForPrograms) return undefined;
  const keys = new Hotkeys(context.keyboard, undefined, {
    output: context.stderr,
    onError: (error) =>
      output.warn(error instanceof VoicebotError && error.hint ? `${error.message}\n  ${error.hint}` : error.message),
  });
  return keys.isActive ? keys : undefined;
}

export interface RunKeysOptions {
  runner: Runner;
  tunnel: Tunnel | undefined;
  report: RunReport;
  output: Output;
  config: Config;
  isSandbox: boolean;
}

/** From now on the keys do something. */
export function serveHotkeys(keys: Hotkeys, options: RunKeysOptions): void {
  const { runner, tunnel, report, output, config, isSandbox } = options;
  const dialMe = async () => {
    const known = config.myNumber ?? (isSandbox ? DEMO_OPERATOR : undefined);
    const number = known ?? (await keys.prompt('Number to call, such as +15551234567: '));
    if (!number) return;
    await runner.dial({ phoneNumber: number, body: {}, parameters: {} });
  };
  const showTunnel = async () => {
    if (!tunnel) return output.line('No tunnel: the provider is on this machine.');
    report.tunnelState(tunnel, await tunnel.check());
  };
  keys.serve([
    { key: 'h', help: 'show these keys', run: () => output.line(keys.help) },
    {
      key: 'o',
      help: 'call the bot in the browser',
      run: () => openPage(runner.url, output),
    },
    {
      key: 'd',
      help: isSandbox ? 'have the bot call me' : 'have the bot call my telephone, through the provider',
      run: dialMe,
    },
    { key: 't', help: 'check the tunnel', run: showTunnel },
    { key: 'r', help: 'replace the bot processes that wait for a call', run: () => runner.reload() },
    { key: 'q', help: 'quit, as Ctrl+C does', run: () => interruptSelf() },
  ]);
}
