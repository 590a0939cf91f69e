import type { Output } from '../../terminal/output.js';
import type { CallDifference, Edit, Section } from './call-difference.js';

const HEADINGS: Readonly<Record<Section['field'], string>> = {
  transcript: 'Transcript',
  tools: 'Tools',
  keys: 'Keys',
  transfer: 'Transfer',
  end: 'End',
  latency: 'Times',
  model: 'Model',
  call: 'Call',
};
const MARKS: Readonly<Record<Edit['is'], string>> = { same: ' ', recorded: '-', now: '+' };

/**
 * Shows what both calls have in common and what differs, `-` for what was recorded and `+` for what is now.
 * @param changes what may have changed the call and is not compared, a sentence each @param path folder of the new call
 */
export function showDifference(
  { differs, sections }: CallDifference,
  changes: readonly string[],
  path: string,
  output: Output,
): void {
  output.event('replay', {
    differs,
    changes,
    folder: path,
    sections: sections.filter(({ edits }) => edits.length > 0),
  });
  const { paint } = output;
  const painted = ({ is, text }: Edit) => {
    const line = `${MARKS[is]} ${text}`;
    return is === 'same' ? line : is === 'now' ? paint.green(line) : paint.red(line);
  };
  if (differs) {
    output.result(`${paint.red('- recorded')}  ${paint.green('+ now')}`);
    for (const { field, edits } of sections.filter((one) => one.edits.length > 0)) {
      output.result('');
      output.result(HEADINGS[field]);
      for (const edit of edits) output.result(painted(edit));
    }
    output.result('');
  }
  const fields = sections.filter((section) => section.differs).map(({ field }) => HEADINGS[field].toLowerCase());
  output.result(differs ? `${paint.red('✖')} different: ${fields.join(', ')}` : `${paint.green('✓')} no difference`);
  for (const change of changes) output.line(`${paint.yellow('!')} ${change}`);
  output.line(`  ${path}`);
}
