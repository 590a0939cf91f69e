/**
 * The lines of Node.js that get security fixes, oldest first: the version that has those of the latest security release, and the last
 * day of the line, in UTC. As of 2026-10-21, when Node.js 20 and the odd lines before 26 had ended already.
 * @see https://nodejs.org/en/blog/vulnerability/october-2026-security-releases
 * @see https://github.com/nodejs/release#release-schedule
 */
const LINES = [
  { major: 22, fixed: '22.23.4', lastDay: '2027-04-30' },
  { major: 24, fixed: '24.22.1', lastDay: '2028-04-30' },
  { major: 26, fixed: '26.12.1', lastDay: '2029-04-30' },
] as const;

/** The line that new installations are told to take. */
export const RECOMMENDED_MAJOR = 24;

/** Newest line that anything is known of. */
const KNOWN_MAJOR = Math.max(...LINES.map(({ major }) => major));

/** What is wrong with a version of Node.js that voicebot itself runs on. */
export interface NodeProblem {
  /** Begins with the version. */
  readonly message: string;
  /** What to install. */
  readonly fix: string;
}

/**
 * Whether a version of Node.js has the security fixes that there are. Of lines newer than those that are known here, and of what is
 * no version, nothing is said.
 * @param version as in `process.versions.node`, with or without a pre-release behind it
 */
export function nodeProblem(version: string, today = new Date()): NodeProblem | undefined {
  const [, release = '', major = '', preRelease = ''] = /^((\d+)\.\d+\.\d+)(-.+)?/.exec(version) ?? [];
  if (release === '' || Number(major) > KNOWN_MAJOR) return undefined;
  const living = LINES.filter(({ lastDay }) => today.toISOString().slice(0, 10) <= lastDay);
  const line = living.find((one) => one.major === Number(major));
  if (!line) return { message: `${version} gets no security fixes any more`, fix: replacement(living) };
  const order = release.localeCompare(line.fixed, 'en', { numeric: true });
  // A pre-release comes before its release.
  if (order > 0 || (order === 0 && preRelease === '')) return undefined;
  return {
    message: `${version} lacks the security fixes of ${line.fixed}`,
    fix: install(`Node.js ${line.fixed} or newer`),
  };
}

const install = (versions: string) => `Install ${versions}: https://nodejs.org/en/download`;

/** What to take in place of a line that is over. */
function replacement(living: readonly (typeof LINES)[number][]): string {
  const best = living.find(({ major }) => major === RECOMMENDED_MAJOR) ?? living.at(-1);
  if (!best) return install('a version of Node.js that gets fixes');
  const others = living.filter((line) => line !== best).map(({ fixed }) => fixed);
  const besides = others.length > 0 ? ` (or ${others.join(' or ')})` : '';
  return install(`Node.js ${best.major}, ${best.fixed} or newer${besides}`);
}
