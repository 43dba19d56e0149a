/** Addresses of the pages beside the playground, from the root of the site. */

/** `22-recipe-reentrant-lock` has the page `recipes/reentrant-lock/`; lessons and tasks stand beside each other. */
export function lessonPath(name: string): string {
  const [, kind, id = name] = /^\d+-(recipe-)?(.*)$/.exec(name) ?? [];
  return `${kind === undefined ? 'lessons' : 'recipes'}/${id}/`;
}

/** Address of the page of a command such as `CLIENT LIST`: of its section, for a subcommand. */
export function commandPath(name: string): string {
  const [container = '', subcommand] = name.toLowerCase().split(' ');
  return `commands/${container}/${subcommand === undefined ? '' : `#${container}-${subcommand}`}`;
}
