// Stands in for tests/js/support/package.mjs in a page: the package as it is served.
export const entry = (name) => import(`/package/esm/${name}.js`);
