/** A picture as a file that needs nothing else. Pure. */

import { PICTURE_RULES, type Picture } from './draw.ts';

/** Colours of a file: light, and others where the viewer asks for dark ones. */
const PALETTE = `svg{--g:#fdfefe;--i:#1d2a30;--s:#4a575e;--l:#9aa5a9;--r:#a53a1f;--w:#fbeae5}
@media(prefers-color-scheme:dark){svg{--g:#161d21;--i:#e6ebec;--s:#a9b3b7;--l:#5d6a70;--r:#f0926f;--w:#40241b}}
.c1{--c:#1c8273}.c2{--c:#8a4fbe}.c3{--c:#3b78c9}.c4{--c:#c0406f}.c5{--c:#5e8a2a}.c6{--c:#b06a2a}.c7{--c:#27829c}.c8{--c:#aa3f96}`;

export function pictureFile({ svg }: Picture): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${svg.replace(/(<svg[^>]*>)/, `$1\n<style>${PALETTE}\n${PICTURE_RULES}</style>`)}\n`;
}
