/** The table of the matrix: what was found in each cell, printed as it is found. */
const HEADINGS = ['cell', 'rounds', 'steps', 'acknowledged', 'lost', 'torn ends', 'failed'];

/** Failures of a cell that are printed; the table counts all. */
const SHOWN_MAX = 2;

/** Width of the name of a cell, and of a number. */
const WIDTHS = [29, 8, 9, 14, 6, 11, 8];

const line = (row) =>
  row.map((text, column) => (column === 0 ? text.padEnd(WIDTHS[0]) : text.padStart(WIDTHS[column]))).join('');

export class Report {
  #rows = [];
  failures = [];

  constructor() {
    console.log(line(HEADINGS));
  }

  /** Adds and prints a cell; `tally` counts over its rounds. */
  add(name, { rounds, steps, acknowledged, lost, torn, failures }) {
    const row = [name, rounds, steps, acknowledged, lost, torn, failures.length].map(String);
    this.#rows.push(row);
    console.log(line(row));
    this.failures.push(...failures.slice(0, SHOWN_MAX).map((failure) => `${name}: ${failure}`));
  }

  /** Sum of a column. */
  sum(heading) {
    const column = HEADINGS.indexOf(heading);
    return this.#rows.reduce((sum, row) => sum + Number(row[column]), 0);
  }
}
