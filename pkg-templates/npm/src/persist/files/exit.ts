/** Work at the end of the process: one listener for all logs. */
const works = new Set<() => void>();

function runAll(): void {
  for (const work of works) work();
}

/** Runs work when the process exits. Returns a function that removes it. */
export function atExit(work: () => void): () => void {
  if (works.size === 0) process.on('exit', runAll);
  const own = (): void => work();
  works.add(own);
  return () => {
    works.delete(own);
    if (works.size === 0) process.off('exit', runAll);
  };
}
