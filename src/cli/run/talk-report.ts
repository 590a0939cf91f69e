import type { CallId } from '../../call/call-id.js';
import { languageName } from '../../call/language-name.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { lineOf } from '../../call/turn-report.js';
import { switchWords } from '../../call/view/services.js';
import { LiveWords, saidText } from '../../terminal/live-words.js';
import { callLabel, type Output } from '../../terminal/output.js';

/** Of the time of day before a line, and of who speaks, with the space behind them, in characters. */
const [TIME_WIDTH, NAME_WIDTH] = [9, 7];

/** Tells what is said in a call, on a terminal word by word, how long each answer took, and which functions the model calls. Calls that are not recorded tell no words. */
export class TalkReport {
  readonly #live: LiveWords;

  constructor(private readonly output: Output) {
    this.#live = new LiveWords(output, (callId, { speaker }) => `${callLabel(callId)}  ${speaker.padEnd(6)} `);
  }

  see(callId: CallId, event: TimelineEvent): void {
    this.#live.see(callId, event);
    const line = this.#lineOf(event, TIME_WIDTH + callLabel(callId).length + 2);
    if (line === undefined) return;
    const { output } = this;
    output.event('noted', { callId, noted: event });
    output.news(`${output.paint.dim(callLabel(callId))}  ${line}`);
  }

  /** The run is over, and with it what is being said. */
  close(): void {
    this.#live.close();
  }

  /** @param indent of a line, in characters */
  #lineOf(event: TimelineEvent, indent: number): string | undefined {
    const { paint } = this.output;
    const { dim, yellow, bold } = paint;
    const beside = (name: string, text: string) => `${name} ${this.output.wrapped(text, indent + NAME_WIDTH)}`;
    switch (event.type) {
      case 'said':
        return beside(bold(event.speaker.padEnd(6)), saidText(event, paint));
      case 'turn_ended':
        return dim(this.output.wrapped(lineOf(event), indent));
      case 'tool_called':
        return beside(`${dim('tool')}  `, `${event.name}(${JSON.stringify(event.input) ?? ''})`);
      case 'tool_returned':
        return beside(
          `${dim('tool')}  `,
          `${event.name} ${event.isError ? yellow('failed') : 'returned'} ${JSON.stringify(event.output) ?? ''}`,
        );
      case 'service_switched':
        return beside(yellow('switch'), switchWords(event));
      case 'language_changed':
        return event.from && `${bold('bot'.padEnd(6))} ${dim(`goes on in ${languageName(event.language)}`)}`;
      case 'keys':
        return `${dim('keys')}   ${event.direction === 'in' ? 'the caller' : 'the bot'} pressed ${event.keys}`;
      default:
        return undefined;
    }
  }
}
