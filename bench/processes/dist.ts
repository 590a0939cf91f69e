/** A module of the built library, by its path below `dist`. Give it the type of its source: `typeof import(…)`. */
export const dist = <Module>(path: string): Promise<Module> =>
  import(new URL(`dist/${path}`, import.meta.resolve('voicebot/package.json')).href);
