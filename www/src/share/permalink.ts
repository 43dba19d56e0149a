/** Links that hold a session: code of the package, because its element reads and writes them, too. */

export * from '../../../pkg-templates/npm/src/element/permalink.ts';
