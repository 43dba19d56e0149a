/** Bytes in a link: code of the package, beside that of the links. */

export * from '../../../pkg-templates/npm/src/element/packing.ts';
