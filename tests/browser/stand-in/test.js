// Stand-in for node:test in a page: tests are queued until they are requested.
const tests = [];

export default function test(name, run) {
  tests.push({ name, run });
}

export async function runAll() {
  const [passed, failed] = [[], []];
  for (const { name, run } of tests) {
    // Garbage of the last test is collected only when its task has ended.
    await new Promise((done) => setTimeout(done));
    try {
      await run();
      passed.push(name);
    } catch (error) {
      failed.push(`${name}: ${error.stack}`);
    }
  }
  return { passed, failed };
}
