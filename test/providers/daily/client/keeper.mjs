/**
 * A process that keeps a browser, as a runner does, until somebody kills it. Its argument is the address of a page; `exit` has it exit
 * while the page is open, `exit-behind` as soon as the browser has ended.
 */
const { BrowserProcess } = await import(
  new URL('../../../../dist/providers/daily/client/browser-process.js', import.meta.url)
);
const { findBrowser } = await import(
  new URL('../../../../dist/providers/daily/client/find-browser.js', import.meta.url)
);
const { Browser } = await import(new URL('../../../../dist/providers/daily/client/browser.js', import.meta.url));
const environment = { PATH: process.env.PATH, HOME: process.env.HOME };
if (process.argv[3] === 'exit-behind') {
  const started = new BrowserProcess({ program: findBrowser({ environment }), environment, isSandboxed: false });
  const { transport } = started;
  await new Promise((resolve) => {
    transport.onmessage = resolve;
    transport.send('{"id":1,"method":"Browser.getVersion"}');
  });
  started.kill();
  await started.exited;
  process.exit();
}
const browser = new Browser({ environment });
await browser.start();
await browser.open(process.argv[2]);
if (process.argv[3] === 'exit') process.exit();
process.stdout.write('kept\n');
