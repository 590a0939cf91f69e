const root = new URL('../../', import.meta.url).href;

/** Turns an import of `src` into the same module of `dist`. */
export async function resolve(specifier, context, next) {
  if (!specifier.startsWith('.') || !context.parentURL?.startsWith(root)) return next(specifier, context);
  const url = new URL(specifier, context.parentURL).href;
  if (!url.startsWith(`${root}src/`)) return next(specifier, context);
  return next(url.replace(`${root}src/`, `${root}dist/`).replace(/\.ts$/, '.js'), context);
}
