// Stand-in for tests/js/support/package.mjs in a page: the served package.
export const entry = (name) => import(`/package/esm/${name}.js`);
export const scripting = (name) => import(`/scripting/esm/${name}.js`);
