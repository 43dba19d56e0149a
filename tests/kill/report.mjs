/** The table of the matrix: what was found in each cell. */
const HEADINGS = ['cell', 'rounds', 'steps', 'acknowledged', 'lost', 'torn ends', 'failed'];

/** Failures of a cell that are printed; the table counts all. */
const SHOWN_MAX = 2;

export class Report {
  #rows = [];
  failures = [];

  /** Adds a cell; `tally` counts over its rounds. */
  add(name, { rounds, steps, acknowledged, lost, torn, failures }) {
    this.#rows.push([name, rounds, steps, acknowledged, lost, torn, failures.length].map(String));
    this.failures.push(...failures.slice(0, SHOWN_MAX).map((failure) => `${name}: ${failure}`));
  }

  /** Sum of a column. */
  sum(heading) {
    const column = HEADINGS.indexOf(heading);
    return this.#rows.reduce((sum, row) => sum + Number(row[column]), 0);
  }

  toString() {
    const rows = [HEADINGS, ...this.#rows];
    const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
    const line = (row) =>
      row.map((text, column) => (column === 0 ? text.padEnd(widths[0]) : text.padStart(widths[column]))).join('  ');
    return rows.map(line).join('\n');
  }
}
