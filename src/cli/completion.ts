import { Argument, Command } from 'commander';
import type { CliContext } from '../terminal/context.js';
import { notes } from '../terminal/help.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** `voicebot completion`: what a shell needs to complete our commands, options and their choices. */
export const completionCommand = (context: CliContext): Command =>
  new Command('completion')
    .description('print a script by which a shell completes commands and options')
    .addArgument(new Argument('<shell>', 'the shell it is for').choices(SHELLS))
    .addHelpText(
      'after',
      notes({
        heading: 'To have it in every new shell, where voicebot itself is on the PATH:',
        rows: [
          ['bash', "echo 'source <(voicebot completion bash)' >> ~/.bashrc"],
          ['zsh', "echo 'source <(voicebot completion zsh)' >> ~/.zshrc     # after compinit"],
          ['fish', 'voicebot completion fish > ~/.config/fish/completions/voicebot.fish'],
        ],
      }),
    )
    .action(async (shell: (typeof SHELLS)[number], _options: object, command: Command) => {
      const { completableProgram } = await import('./completion/completion-model.js');
      const program = completableProgram(command.parent ?? command);
      context.stdout.write(await scriptFor(shell, program));
    });

async function scriptFor(
  shell: (typeof SHELLS)[number],
  program: import('./completion/completion-model.js').CompletableProgram,
): Promise<string> {
  if (shell === 'bash') return (await import('./completion/bash.js')).bashCompletion(program);
  if (shell === 'zsh') return (await import('./completion/zsh.js')).zshCompletion(program);
  return (await import('./completion/fish.js')).fishCompletion(program);
}
