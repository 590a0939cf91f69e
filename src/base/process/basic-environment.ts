/** Variables that any program needs. Whatever else a process of ours needs travels to it over a private channel. */
const BASIC_VARIABLES = ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'];
/** The same on Windows, where names of variables have no case. */
const OF_WINDOWS = ['TEMP', 'TMP', 'SYSTEMROOT', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'COMSPEC', 'PATHEXT'];

/** The environment to start a process with: every process of the same user can read it, so it holds no secret. */
export function basicEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    [...BASIC_VARIABLES, ...OF_WINDOWS].flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  );
}
