import { isIP } from 'node:net';

/** A codec as a session description offers it. */
export interface OfferedCodec {
  readonly name: string;
  readonly payloadType: number;
}

const linesOf = (sdp: string) => sdp.split(/\r?\n/);

/** How many media sections there are. */
export const sectionCount = (sdp: string): number => linesOf(sdp).filter((line) => line.startsWith('m=')).length;

/** The codecs of the first audio section, in its order; none when it is missing or refused. */
export function offeredCodecs(sdp: string): readonly OfferedCodec[] {
  const lines = linesOf(sdp);
  const section = /^m=audio (?<port>\d+) \S+ (?<types>[\d ]+)$/.exec(
    lines.find((line) => line.startsWith('m=audio ')) ?? '',
  );
  if (!section || section.groups?.port === '0') return [];
  const names = new Map(
    lines.flatMap((line) => {
      const map = /^a=rtpmap:(\d+) ([^/\s]+)\//.exec(line);
      return map ? [[Number(map[1]), map[2] as string] as const] : [];
    }),
  );
  return (section.groups?.types ?? '')
    .trim()
    .split(/ +/)
    .map((type) => ({ name: names.get(Number(type)) ?? '', payloadType: Number(type) }));
}

/** The address of a candidate line (RFC 8839 section 5.1). */
const candidateHost = (line: string) => /^a=candidate:\S+ \d+ \S+ \d+ (\S+) /.exec(line)?.[1];

/** The addresses that the other side can be reached at, names left out. */
export function candidateHosts(sdp: string): readonly string[] {
  return linesOf(sdp)
    .map(candidateHost)
    .filter((host) => host !== undefined && isIP(host) > 0) as string[];
}

/**
 * Leaves out the candidates that are not to be tried, and names among them: looking one up would ask others on the
 * network. The end of candidates is left out too, because the other side may become known by a check of its own.
 */
export function withCandidates(sdp: string, isWanted: (host: string) => boolean): string {
  return linesOf(sdp)
    .filter((line) => {
      if (line === 'a=end-of-candidates') return false;
      if (!line.startsWith('a=candidate:')) return true;
      const host = candidateHost(line);
      return host !== undefined && isIP(host) > 0 && isWanted(host);
    })
    .join('\r\n');
}
