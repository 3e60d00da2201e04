/** The pages of the manual in reading order. A page that is not listed here is not built, and a test fails. */
export interface Chapter {
  readonly title: string;
  readonly pages: readonly Page[];
}

export interface Page {
  /** Of its address below `/docs/`; the first page is `/docs` itself. */
  readonly name: string;
  /** Relative to the repository. */
  readonly source: string;
  /** Instead of the first heading. */
  readonly title?: string;
}

const page = (name: string): Page => ({ name, source: `docs/${name}.md` });

export const CHAPTERS: readonly Chapter[] = [
  { title: 'Start', pages: [{ name: '', source: 'docs/README.md' }, page('quick-start')] },
  {
    title: 'Tutorials',
    pages: [
      page('tutorial-flight'),
      page('tutorial-planning'),
      page('tutorial-weather'),
      page('tutorial-receiver'),
    ],
  },
  {
    title: 'API',
    pages: [
      page('trajectory'),
      page('planning'),
      page('routes'),
      page('research'),
      page('grids'),
      page('forecast'),
      page('telemetry'),
      page('inventory'),
      page('live'),
      page('observations'),
      page('formats'),
      page('api'),
      { name: 'client', source: 'packages/client/README.md', title: 'TypeScript client' },
      page('python'),
    ],
  },
  {
    title: 'Science',
    pages: [
      page('models'),
      page('climate'),
      page('validation'),
      page('skill'),
      page('limits'),
      page('glossary'),
    ],
  },
  {
    title: 'Run it',
    pages: [
      page('operations'),
      page('configuration'),
      page('meteorology'),
      page('meteorology-sources'),
      page('scale-out'),
      page('gpu'),
      page('store'),
      page('jobs'),
      page('compute'),
      page('versioning'),
    ],
  },
  { title: 'Help', pages: [page('troubleshooting')] },
];

export const PAGES: readonly Page[] = CHAPTERS.flatMap(({ pages }) => pages);
