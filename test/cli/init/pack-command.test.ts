import { packCommand } from '../../../src/cli/init/init-project.js';

test.each<[platform: NodeJS.Platform, root: string, from: string, shell: boolean]>([
  ['linux', '/home/ada/my bots/voicebot/', '/home/ada/my bots/voicebot', false],
  ['darwin', '/Users/ada/voicebot', '/Users/ada/voicebot', false],
  ['win32', 'C:\\Users\\Ada Byron\\voicebot\\', '"C:\\Users\\Ada Byron\\voicebot"', true],
])('on %s npm is told to pack %s as %s', (platform, root, from, shell) => {
  expect(packCommand(root, platform)).toEqual({ words: ['pack', '--silent', '--ignore-scripts', from], shell });
});
