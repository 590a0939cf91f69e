import { read } from '../../project/repository.js';

interface Panel {
  readonly targets?: ReadonlyArray<{ readonly expr: string }>;
}

/** What the dashboard asks Prometheus, panel by panel, as it stands there. */
export function dashboardQueries(): string[] {
  const { panels } = JSON.parse(read('templates/deployment/grafana-dashboard.json')) as { panels: readonly Panel[] };
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}
