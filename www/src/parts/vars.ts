/** Sets CSS custom properties on an element through the object model, which a policy without inline styles allows. */

import { noChange } from 'lit';
import { Directive, directive, type ElementPart, type PartInfo, PartType } from 'lit/directive.js';

class VarsDirective extends Directive {
  constructor(part: PartInfo) {
    super(part);
    if (part.type !== PartType.ELEMENT) throw new Error('vars() must be used in a tag, not in an attribute');
  }

  render(_values: Readonly<Record<string, string | number>>): unknown {
    return noChange;
  }

  override update(part: ElementPart, [values]: [Readonly<Record<string, string | number>>]): unknown {
    const { style } = part.element as HTMLElement;
    for (const [name, value] of Object.entries(values)) style.setProperty(`--${name}`, String(value));
    return noChange;
  }
}

export const vars = directive(VarsDirective);
