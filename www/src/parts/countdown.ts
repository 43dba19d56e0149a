/**
 * Repaints the remaining times on the page, each cell alone: elements with `data-due` get their text and the length of
 * their fuse. Near the end a cell changes five times a second, else once a second.
 */

import type { ReactiveControllerHost } from 'lit';
import { remainingText } from '../text/durations.ts';

/** Clock of the countdown. */
export interface Time {
  readonly live: boolean;
  now(): number;
}

type Host = ReactiveControllerHost & { readonly renderRoot: HTMLElement | DocumentFragment; readonly time: Time };

const SOON_MS = 10_000;
const SOON_STEP_MS = 200;
const STEP_MS = 1000;

export class Countdown {
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly host: Host) {
    host.addController(this);
  }

  hostUpdated(): void {
    this.paint();
  }

  hostDisconnected(): void {
    clearTimeout(this.timer);
  }

  private paint(): void {
    clearTimeout(this.timer);
    const { time, renderRoot } = this.host;
    const nowMs = time.now();
    let nearestMs = Number.POSITIVE_INFINITY;
    for (const cell of renderRoot.querySelectorAll<HTMLElement>('[data-due]')) {
      const leftMs = Math.max(Number(cell.dataset['due']) - nowMs, 0);
      nearestMs = Math.min(nearestMs, leftMs);
      paintCell(cell, leftMs);
    }
    if (!time.live || nearestMs === Number.POSITIVE_INFINITY) return;
    this.timer = setTimeout(() => this.paint(), untilStep(nowMs, nearestMs));
  }
}

/**
 * Time until a countdown changes next. All change at the same instants, the face of the clock too, so that they share
 * the work of a frame.
 */
export function untilStep(nowMs: number, leftMs: number): number {
  const stepMs = leftMs < SOON_MS ? SOON_STEP_MS : STEP_MS;
  return stepMs - (nowMs % stepMs);
}

function paintCell(cell: HTMLElement, leftMs: number): void {
  const text = remainingText(leftMs);
  if (cell.textContent === text) return;
  cell.textContent = text;
  cell.classList.toggle('soon', leftMs < SOON_MS);
  const fuse = cell.nextElementSibling as HTMLElement | null;
  if (!fuse?.matches('.fuse')) return;
  const share = Math.min(leftMs / Number(fuse.dataset['whole']), 1);
  fuse.style.setProperty('--left', share.toFixed(3));
  fuse.classList.toggle('soon', leftMs < SOON_MS);
}
