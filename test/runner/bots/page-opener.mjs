// Opens a page while it is loaded, where its process opens pages.
const { pagesOfThisProcess } = await import(
  new URL('../../../dist/providers/daily/client/process-pages.js', import.meta.url)
);

await pagesOfThisProcess()
  .open(process.env.PAGE)
  .catch(({ code, hint }) => process.stdout.write(`${code} ${hint}\n`));

export async function bot() {}
