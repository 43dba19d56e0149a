/**
 * The page `/embed` inside a frame of another site: shows the session of its address, and follows the frame's size.
 *
 * Hash: `s=`, `v1=` as in links of the playground. Query: `readonly`, `clock=live`, `theme=dark`. A message
 * `{ keylatch: 'resize', height: 320 }` of the framing page makes the session as high as its lines, at most that many
 * pixels. From then on `{ keylatch: 'size', height: 212 }` is posted to that page whenever the height changes.
 */

import { heightOfMessage } from './message.ts';

const THEMES = ['light', 'dark'];

function show(repl: HTMLElement): void {
  const query = new URLSearchParams(location.search);
  const theme = query.get('theme') ?? '';
  repl.toggleAttribute('readonly', query.has('readonly'));
  if (query.get('clock') === 'live') repl.setAttribute('clock', 'live');
  if (THEMES.includes(theme)) {
    repl.setAttribute('theme', theme);
    document.documentElement.dataset['theme'] = theme;
  }
  // Without a session there is a prompt.
  if (location.hash.length > 1) repl.setAttribute('link', location.hash.slice(1));
  else repl.removeAttribute('link');
}

/** Applies the last height of each frame only, however many messages come. */
function followSize(repl: HTMLElement): void {
  let wanted: number | undefined;
  let posted = 0;
  const post = (): void => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height === posted) return;
    posted = height;
    parent.postMessage({ keylatch: 'size', height }, '*');
  };
  const apply = (): void => {
    document.documentElement.dataset['fits'] = '';
    document.documentElement.style.setProperty('--height', `${wanted}px`);
    wanted = undefined;
    post();
  };
  const observer = new ResizeObserver(post);
  addEventListener('message', ({ source, data }) => {
    const height = source === parent && source !== window ? heightOfMessage(data) : undefined;
    if (height === undefined) return;
    if (wanted === undefined) requestAnimationFrame(apply);
    wanted = height;
    observer.observe(repl);
  });
}

const repl = document.querySelector<HTMLElement>('keylatch-repl');
if (repl) {
  show(repl);
  addEventListener('hashchange', () => show(repl));
  followSize(repl);
  document.documentElement.dataset['ready'] = '';
}
