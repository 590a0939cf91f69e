/** A process that keeps a browser, as a runner does, until somebody kills it. Its argument is the address of a page. */
const { Browser } = await import(new URL('../../../dist/rooms/browser/browser.js', import.meta.url));
const browser = new Browser({ environment: { PATH: process.env.PATH, HOME: process.env.HOME } });
await browser.start();
await browser.open(process.argv[2]);
if (process.argv[3] === 'exit') process.exit();
process.stdout.write('kept\n');
