#!/usr/bin/env node
// Old syntax on purpose: a Node that cannot run voicebot must still be able to read this file and say so.
var needed = [20, 18, 1];
var found = process.versions.node.split('.').map(Number);

function isTooOld() {
  var i = 0;
  while (i < 2 && found[i] === needed[i]) i += 1;
  return found[i] < needed[i];
}

if (isTooOld()) {
  console.error(
    `voicebot needs Node.js ${needed.join('.')} or newer, best 24; this is ${process.versions.node}: https://nodejs.org/en/download`,
  );
  process.exit(1);
} else {
  import('../dist/cli/main.js').then(
    (cli) =>
      cli.main(process.argv.slice(2)).then((code) => {
        process.exitCode = code;
        // Flushed first, because leaving must not wait for whatever a library left open.
        process.stdout.write('', () => {
          process.exit();
        });
      }),
    (error) => {
      if (!/Cannot find module '[^']*dist[\\/]cli[\\/]main\.js'/.test(error.message)) throw error;
      console.error('voicebot is not built yet. Build it with: node scripts/setup.mjs');
      process.exit(1);
    },
  );
}
