// The menu of versions, from the file above the folders of all versions. From a disk, where nothing can be asked for, there is none.
(async () => {
  const base = new URL(document.documentElement.dataset.base ?? './', location.href);
  const all = new URL('../', base);
  const response = await fetch(new URL('versions.json', all)).catch(() => undefined);
  if (!response?.ok) return;
  const { latest, versions } = await response.json();
  const here = base.href.slice(all.href.length).replace(/\/$/, '');
  const menu = document.createElement('select');
  menu.id = 'versions';
  menu.setAttribute('aria-label', 'Version');
  for (const version of versions) {
    const isHere = version === here || (here === 'latest' && version === latest);
    menu.add(new Option(version === latest ? `${version} (latest)` : version, version, isHere, isHere));
  }
  menu.onchange = async () => {
    const there = new URL(`${menu.value}/`, all);
    const same = new URL(location.href.slice(base.href.length), there);
    const found = await fetch(same, { method: 'HEAD' }).catch(() => undefined);
    location.href = found?.ok ? same.href : there.href;
  };
  document.querySelector('.tsd-page-toolbar .title')?.after(menu);
})();
