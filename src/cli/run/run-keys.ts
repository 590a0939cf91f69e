import { VoicebotError } from '../../base/errors.js';
import { DEMO_OPERATOR } from '../../call/operator-number.js';
import type { Config } from '../../config/config.js';
import type { Runner } from '../../runner/runner.js';
import type { Tunnel } from '../../runner/tunnel/tunnel.js';
import type { CliContext } from '../../terminal/context.js';
import { Hotkeys } from '../../terminal/hotkeys.js';
import { openPage } from '../../terminal/open-page.js';
import type { Output } from '../../terminal/output.js';
import type { RunReport } from './run-report.js';

export interface RunKeysOptions {
  runner: Runner;
  tunnel: Tunnel | undefined;
  report: RunReport;
  context: CliContext;
  output: Output;
  config: Config;
  isSandbox: boolean;
}

/** The keys of `voicebot run`, where a person sits at a terminal. */
export function startHotkeys(options: RunKeysOptions): Hotkeys | undefined {
  const { runner, tunnel, report, context, output, config, isSandbox } = options;
  if (!context.keyboard || output.isForPrograms) return undefined;
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
  const keys: Hotkeys = new Hotkeys(
    context.keyboard,
    [
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
      { key: 'q', help: 'quit, as Ctrl+C does', run: () => void process.kill(process.pid, 'SIGINT') },
    ],
    {
      output: context.stderr,
      onError: (error) =>
        output.warn(error instanceof VoicebotError && error.hint ? `${error.message}\n  ${error.hint}` : error.message),
    },
  );
  return keys.isActive ? keys : undefined;
}
