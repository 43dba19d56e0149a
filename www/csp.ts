/**
 * Content security policy of the site, defined once: for the meta tags, the preview server and the `_headers` file.
 * Pages of `/embed` may be framed by any page; all others by none.
 */

const directives = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
];

/** Folders of the pages beside the playground. */
export const PAGE_FOLDERS = ['docs/', 'commands/', 'lessons/', 'recipes/'] as const;

/** Directives that a meta tag may contain. */
export const metaPolicy = directives.join('; ');

type Headers = Readonly<Record<string, string>>;

interface HeaderRule {
  /** Path, or a folder with `/*` behind it. */
  readonly path: string;
  readonly headers: Headers;
}

/**
 * Headers by path. A file gets those of every rule that fits, and no header stands in two rules that fit one file: hosts
 * would join the values, and of two policies the stricter one holds.
 */
export const headerRules: readonly HeaderRule[] = [
  { path: '/*', headers: { 'X-Content-Type-Options': 'nosniff' } },
  ...['/', '/index.html', '/worker.js', '/assets/*', ...PAGE_FOLDERS.map((folder) => `/${folder}*`)].map((path) => ({
    path,
    headers: policy("frame-ancestors 'none'"),
  })),
  {
    path: '/embed/*',
    headers: {
      ...policy('frame-ancestors *'),
      // Pages of other sites load script and engine from here.
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    },
  },
];

function policy(directive: string): Headers {
  return { 'Content-Security-Policy': [...directives, directive].join('; ') };
}

/** Headers of a path of the site, which begins with `/`. */
export function headersOf(path: string): Headers {
  const fitting = headerRules.filter((rule) =>
    rule.path.endsWith('*') ? path.startsWith(rule.path.slice(0, -1)) : path === rule.path,
  );
  return Object.assign({}, ...fitting.map(({ headers }) => headers));
}

/** The rules as the file `_headers`, which static hosts read. */
export function headersFile(): string {
  return headerRules
    .map(({ path, headers }) => {
      const lines = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}\n`);
      return `${path}\n${lines.join('')}`;
    })
    .join('');
}
